"""What is paid in Pengingan, in chips (RULES.md, "Conditions and what they pay")."""

from penzoo.envs.jit import compiled
from penzoo.envs.pengingan.melds import count_cards, value
from penzoo.envs.pengingan.state import Building, ExtensionPay

OUT_CHIPS = 1  # from each opponent for going out (S)


@compiled
def pay(state, seat, chips):
    """Every opponent pays a player so many chips."""
    players = state["players"]
    for other in range(players):
        amount = -chips if other != seat else chips * (players - 1)
        state["chips"][other] += amount
        state["rewards"][other] += amount


@compiled
def earned(state, seat, kind):
    """What the arrangement that has just been closed pays, in chips from each opponent (S, D)."""
    if kind == Building.REARRANGE:
        return _earned_by_rearranging(state, seat)
    number = state["open_meld"]
    meld = state["meld"][seat, number]
    if kind == Building.NEW:
        return value(meld)
    former = state["former"][number]
    if value(former) == 0 or state["extension_pay"] == ExtensionPay.ONCE:
        return value(meld)
    return value(meld) * (count_cards(meld) - count_cards(former))


@compiled
def _earned_by_rearranging(state, seat):
    """Every condition pays that did not lie there exactly so before (D)."""
    chips, matched = 0, 0
    for number in range(state["num_melds"][seat]):
        meld, is_new = state["meld"][seat, number], True
        for place in range(state["num_former"]):
            if is_new and not matched >> place & 1 and state["former"][place] == meld:
                matched |= 1 << place
                is_new = False
        if is_new:
            chips += value(meld)
    return chips


@compiled
def go_out(state):
    """A chip from each opponent, and once more what every condition on the table is worth (S, D)."""
    seat, chips = state["turn"], OUT_CHIPS
    for number in range(state["num_melds"][seat]):
        chips += value(state["meld"][seat, number])
    pay(state, seat, chips)
    state["out_seat"] = seat
    state["terminated"] = 1
