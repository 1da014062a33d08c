"""A deal of Pengingan on one readable screen."""

import textwrap

import numpy as np

from penzoo.envs.cards import BETWEEN, INDENT, NO_CARD, SCREEN_WIDTH, SUITS, counted_on_screen, hand_on_screen, in_lines, on_screen
from penzoo.envs.pengingan.melds import add_counts, can_take, value
from penzoo.envs.pengingan.payments import OUT_CHIPS
from penzoo.envs.pengingan.rules import next_seat
from penzoo.envs.pengingan.state import CARDS, HAND_SIZE, LIVE, NO_MELD, NOBODY, NUM_CARDS, NUM_RANKS, RANKS, Building, Forcing, Phase
from penzoo.envs.pengingan.stock import can_turn, is_reshuffle_left, packs

_OFFERS = (Phase.FIRST, Phase.SECOND)
_QUESTIONS = (Phase.ASK_USE, Phase.ASK_DISCARD)


def text(state: np.void, viewer: int | None, reveal: bool) -> str:
    """The deal as text.

    Args:
        state: one record of `state.STATE`.
        viewer: the seat whose cards are shown, or None for what everybody sees.
        reveal: show every card.
    """
    lines = [_headline(state), _dead(state), f"face up: {_face_up(state)}"]
    for seat in range(state["players"]):
        lines += [_seat(state, seat, seat == viewer or reveal), *_table(state, seat), *_live(state, seat)]
    lines += textwrap.wrap(_ending(state) if _is_over(state) else _question(state), SCREEN_WIDTH, subsequent_indent=INDENT)
    return "\n".join(lines)


def remark(state: np.void) -> str:
    """What an action is about, for those who see no screen before it; nothing if its name says that."""
    if state["phase"] in (Phase.BUILD, Phase.DISCARD):
        return ""
    said = {
        Phase.SECOND: f"{_card(state)} from the stock",
        Phase.ASK_USE: f"whether {_card(state)} must be used",
        Phase.ASK_DISCARD: f"whether {_card(state)} must be taken back",
        Phase.EXTRA: "an extra card",
    }
    return said.get(Phase(state["phase"]), _card(state))


# --------------------------------------------------------------------------------------------------------------------- table


def _headline(state: np.void) -> str:
    reshuffled = " (dead cards, shuffled)" if state["is_reshuffled"] else ""
    parts = (
        "Pengingan",
        f"{packs(state)} packs",
        f"stock {state['stock_size']}{reshuffled}",
        f"dead {state['dead_size']}",
        f"move {state['moves']} of {state['max_moves']}",
    )
    return BETWEEN.join(parts)


def _dead(state: np.void) -> str:
    """The dead cards, suit by suit with the number of copies."""
    rows = state["dead"].reshape(len(SUITS), NUM_RANKS)
    signs = (on_screen(CARDS[suit * NUM_RANKS])[-1] for suit in range(len(SUITS)))
    parts = [f"{sign} {_copies(row)}" for sign, row in zip(signs, rows, strict=True) if row.any()] or ["none"]
    return in_lines([f"dead: {parts[0]}", *parts[1:]], BETWEEN, INDENT)


def _copies(row: np.ndarray) -> str:
    return " ".join(RANKS[rank] + (f"×{row[rank]}" if row[rank] > 1 else "") for rank in np.flatnonzero(row))


def _face_up(state: np.void) -> str:
    return "none" if state["card"] == NO_CARD else f"{_card(state)}, {_origin(state)}"


def _card(state: np.void) -> str:
    return on_screen(CARDS[state["card"]])


def _origin(state: np.void) -> str:
    phase, turn = state["phase"], state["turn"]
    if phase == Phase.BUILD:
        return f"being used by player_{turn}"
    if phase in (Phase.DISCARD, Phase.ASK_DISCARD, Phase.EXTRA):
        return f"discarded by player_{turn}"
    if state["is_turned"]:
        return "the extra card, turned from the stock" if state["is_extra"] else "turned from the stock"
    return f"left by player_{(turn - 1) % state['players']}" if state["moves"] else "turned up at the deal"


# ------------------------------------------------------------------------------------------------------------------- players


def _seat(state: np.void, seat: int, is_shown: bool) -> str:
    is_asked = seat == state["seat"] and not _is_over(state)
    tags = ["dealer"] if seat == state["dealer"] else []
    if seat == state["turn"] and not is_asked and not _is_over(state):
        tags.append("in turn")
    tagged = f" ({', '.join(tags)})" if tags else ""
    return f"{'>' if is_asked else ' '} player_{seat}{tagged}: {_hand(state, seat, is_shown)}{BETWEEN}chips {_chips(state, seat)}"


def _hand(state: np.void, seat: int, is_shown: bool) -> str:
    """The cards in hand, the hidden ones by their backs, which stand last."""
    size = int(state["hand_size"][seat])
    if size == 0:
        is_flat = state["table_size"][seat] == HAND_SIZE and state["out_seat"] != seat
        return "nothing in hand (flat)" if is_flat else "nothing in hand"
    return f"{size} in hand: {' '.join(hand_on_screen(state['hand' if is_shown else 'known'][seat], size, CARDS))}"


def _chips(state: np.void, seat: int) -> str:
    chips = int(state["chips"][seat])
    return f"{chips:+}" if chips else "0"


def _table(state: np.void, seat: int) -> list[str]:
    """The melds of a player, a half-built one and loose cards included."""
    is_building = seat == state["turn"] and state["phase"] == Phase.BUILD
    melds = [meld for meld in state["meld"][seat] if meld != NO_MELD]
    parts = [_meld(number, meld, is_building and number == state["open_meld"]) for number, meld in enumerate(melds)]
    if is_building and state["loose"].any():
        parts.append(f"loose: {' '.join(_names(state['loose']))}")
    return [INDENT + in_lines(parts, BETWEEN, INDENT)] if parts else []


def _meld(number: int, meld: np.int32, is_open: bool) -> str:
    counts = np.zeros(NUM_CARDS, np.int8)
    add_counts(counts, meld, 1)
    worth = int(value(meld))
    pays = " (open)" if is_open else f" pays {worth} each" if worth else ""
    return f"meld {number}: {' '.join(_names(counts))}{pays}"


def _live(state: np.void, seat: int) -> list[str]:
    """The cards that are live for the player in turn, to whom they may be forced, and for the next one, who must not be given them."""
    turn = state["turn"]
    if _is_over(state) or state["forcing"] == Forcing.NEVER or seat not in (turn, next_seat(state, turn)):
        return []
    live = state["shown"][seat, LIVE:]
    if not live.any() or (seat == turn and state["phase"] == Phase.BUILD):  # what is being built changes them
        return []
    return [f"{INDENT}live: {' '.join(_names(live))}"]


def _names(counts: np.ndarray) -> list[str]:
    """Cards as people read them, from how many there are of each kind: a run by rank, a group by suit."""
    return counted_on_screen(counts, CARDS)


# ------------------------------------------------------------------------------------------------------------------ question


def _question(state: np.void) -> str:
    """Who is to decide what, and why."""
    phase = Phase(int(state["phase"]))
    if phase in _OFFERS:
        return _offer(state)
    if phase in _QUESTIONS:
        return _demand(state)
    if phase == Phase.FORCED:
        return f"player_{state['turn']} must put {_card(state)} onto {_fitting(state, state['turn'])}: it has been demanded."
    if phase == Phase.BUILD:
        return _building(state)
    return _discard(state) if phase == Phase.DISCARD else _extra(state)


def _offer(state: np.void) -> str:
    turn, card = state["turn"], _card(state)
    is_live = state["shown"][turn, LIVE + state["card"]] and state["forcing"] != Forcing.NEVER
    if is_live and state["forcing"] == Forcing.ALWAYS:
        return f"player_{turn} must use {card}, which is live (fits {_fitting(state, turn)})."
    fate = f"player_{turn}: use {card}, or decline it (pass): then {_fate(state)}."
    return f"{fate} It is live (fits {_fitting(state, turn)}): declined, it may be demanded." if is_live else fate


def _fate(state: np.void) -> str:
    """What becomes of the face-up card if it is declined."""
    if state["phase"] == Phase.SECOND:
        return f"it stays for player_{next_seat(state, state['turn'])}"
    if state["stock_size"] > 0 or is_reshuffle_left(state):  # a new stock has at least this card
        return "it is dead, and a card is turned from the stock"
    return "the deal ends, as the stock is empty"


def _demand(state: np.void) -> str:
    seat, turn, card = state["seat"], state["turn"], _card(state)
    if state["phase"] == Phase.ASK_USE:
        said = f"player_{turn} declined {card}, which is live (fits {_fitting(state, turn)})"
        return f"player_{seat} is asked: {said}: demand that it is used, or waive that (pass)?"
    receiver = next_seat(state, turn)
    said = f"player_{turn} discarded {card}, which is live for player_{receiver} (fits {_fitting(state, receiver)})"
    return f"player_{seat} is asked: {said}: demand that it is taken back, or waive that (pass)?"


def _fitting(state: np.void, seat: int) -> str:
    """The melds of a player onto which the face-up card can be put."""
    melds, card = state["meld"][seat][: state["num_melds"][seat]], int(state["card"])
    return "meld " + " or ".join(str(number) for number, meld in enumerate(melds) if can_take(meld, card))


def _building(state: np.void) -> str:
    turn, card, number, last_put = state["turn"], _card(state), state["open_meld"], state["last_put"]
    demanded = ", which was demanded" if state["is_forced"] else ""
    order = "" if last_put == NO_CARD else f" Cards go on in order (♣ ♦ ♥ ♠, A to K): {on_screen(CARDS[last_put])} or later ones."
    if state["building"] == Building.NEW:
        return f"player_{turn} begins meld {number} with {card}: put cards from hand onto it, and close it.{order}"
    if state["building"] == Building.EXTEND:
        return f"player_{turn} extends meld {number} with {card}{demanded}: put cards from hand onto it, or close it.{order}"
    return f"player_{turn} rearranges all melds with {card}: put cards onto meld {number}, and close it, until none are loose.{order}"


def _discard(state: np.void) -> str:
    turn = state["turn"]
    receiver = next_seat(state, turn)
    if state["is_returned"]:
        return f"player_{turn} had to take a live card back: discard another, which is not live for player_{receiver}."
    duty = f": none that is live for player_{receiver}, unless all are" if state["forcing"] == Forcing.ALWAYS else ""
    may_object = state["forcing"] == Forcing.ASK and state["shown"][receiver, LIVE:].any()
    warning = f" One that is live for player_{receiver} may be sent back." if may_object else ""
    return f"player_{turn} discards a card{duty}.{warning}"


def _extra(state: np.void) -> str:
    if not can_turn(state):
        return f"player_{state['turn']} can turn no extra card, as the stock is empty: end the turn (pass)."
    return f"player_{state['turn']} may turn an extra card, which covers and kills {_card(state)}, or end the turn (pass)."


def _is_over(state: np.void) -> bool:
    return bool(state["terminated"] or state["truncated"])


def _ending(state: np.void) -> str:
    if state["truncated"]:
        return "truncated: nobody went out, all payments stand"
    seat = int(state["out_seat"])
    if seat == NOBODY:
        return "the stock is empty: nobody went out, all payments stand"
    conditions = sum(int(value(meld)) for meld in state["meld"][seat] if meld != NO_MELD)
    more = f", and {conditions} more for the conditions on the table" if conditions else ""
    return f"player_{seat} went out and got {OUT_CHIPS} from each{more}"
