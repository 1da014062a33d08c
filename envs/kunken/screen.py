"""A deal of Kunken on one readable screen."""

import textwrap

import numpy as np

from penzoo.envs.cards import (
    BETWEEN,
    INDENT,
    JOKER_FOR,
    NO_CARD,
    SCREEN_WIDTH,
    SUITS,
    counted_on_screen,
    hand_on_screen,
    in_lines,
    on_screen,
)
from penzoo.envs.kunken.legal import may_swap
from penzoo.envs.kunken.melds import (
    count_cards,
    first_rank,
    holds,
    honours,
    is_good,
    is_set,
    joker_bits,
    meld_points,
    natural_bits,
    suit_of,
)
from penzoo.envs.kunken.scores import hand_points, score
from penzoo.envs.kunken.state import CARDS, NOBODY, NUM_RANKS, NUM_SUITS, RANKS, Duty, LayOnDraw, Phase, Reward
from penzoo.envs.kunken.stock import can_draw

_ORDER = "Cards are put in order: a run upwards, a set by suits (♣♦♥♠), its jokers last."
_SWAP_FIRST = " Before that jokers may be swapped."


def text(state: np.void, viewer: int | None, reveal: bool) -> str:
    """The deal as text.

    Args:
        state: one record of `state.STATE`.
        viewer: the seat whose cards are shown, or None for what everybody sees.
        reveal: show every card.
    """
    shown = [reveal or seat == viewer or state["known_size"][seat] == state["hand_size"][seat] for seat in range(state["players"])]
    lines = [_headline(state), _bank(state)]
    for seat, is_shown in enumerate(shown):
        lines += [_seat(state, seat, is_shown), *_aside(state, seat), *_table(state, seat)]
    last = _ending(state, all(shown)) if _is_over(state) else f"player_{state['seat']} {_question(state)}"
    return "\n".join([*lines, *textwrap.wrap(last, SCREEN_WIDTH, subsequent_indent=INDENT)])


def remark(state: np.void) -> str:
    """What an action is about, for those who see no screen before it; nothing if its name says that."""
    if state["phase"] in (Phase.BUILD, Phase.ADD):
        return _meld(state, int(state["open_meld"]))
    return "the stock is empty" if state["phase"] == Phase.START and state["stock_size"] == 0 else ""


# --------------------------------------------------------------------------------------------------------------------- table


def _headline(state: np.void) -> str:
    jokers = int(state["jokers"])
    recycled = " (the bank, shuffled)" if state["is_recycled"] else ""
    parts = (
        "Kunken",
        f"{jokers or 'no'} joker{'s' * (jokers != 1)}",
        f"stock {state['stock_size']}{recycled}",
        f"bank {state['bank_size']}",
        f"move {state['moves']} of {state['max_moves']}",
    )
    return BETWEEN.join(parts)


def _bank(state: np.void) -> str:
    """The bank in a row, from the bottom to the top."""
    cards = [_card(card) for card in state["bank"][: state["bank_size"]]]
    return in_lines([f"bank, top last: {cards[0]}", *cards[1:]], " ", INDENT) if cards else "bank: taken as a whole"


def _card(card: int) -> str:
    return on_screen(CARDS[card])


def _table(state: np.void, seat: int) -> list[str]:
    """The combinations that a player has laid new, with their numbers."""
    melds = [_meld(state, number) + _mark(state, number) for number in range(state["num_melds"]) if state["owner"][number] == seat]
    return [INDENT + in_lines(melds, BETWEEN, INDENT)] if melds else []


def _meld(state: np.void, number: int) -> str:
    return f"meld {number}: {' '.join(_meld_cards(int(state['meld'][number])))}"


def _meld_cards(meld: int) -> list[str]:
    """A combination as people read it; a joker with the card for which it stands, in a set with the rank: its suit is open."""
    rank = first_rank(meld)
    if is_set(meld):
        naturals = [_card(NUM_RANKS * suit + rank) for suit in range(NUM_SUITS) if (natural_bits(meld) >> suit) & 1]
        return naturals + [JOKER_FOR + _card(rank)[:-1]] * joker_bits(meld)
    places = [(rank + place) % NUM_RANKS for place in range(count_cards(meld))]
    return [on_screen((JOKER_FOR if (joker_bits(meld) >> at) & 1 else "") + RANKS[at] + SUITS[suit_of(meld)]) for at in places]


def _mark(state: np.void, number: int) -> str:
    if number != state["open_meld"]:
        return ""
    return " (half-built)" if state["phase"] == Phase.BUILD else " (chosen)"


# ------------------------------------------------------------------------------------------------------------------- players


def _seat(state: np.void, seat: int, is_shown: bool) -> str:
    turn = ">" if seat == state["seat"] and not _is_over(state) else " "
    tags = [tag for tag, is_so in (("dealer", seat == state["dealer"]), ("opened", state["opened"][seat])) if is_so]
    tagged = f" ({', '.join(tags)})" if tags else ""
    size = int(state["hand_size"][seat])
    words = hand_on_screen(state["hand" if is_shown else "known"][seat], size, CARDS) or ["nothing"]
    words[0] = f"{turn} player_{seat}{tagged}: {f'{size} in hand: {words[0]}' if size else 'nothing in hand'}"
    points = _score(state, seat) if _is_over(state) and is_shown else f"laid {state['laid'][seat]}"
    return in_lines([*words, BETWEEN.lstrip() + points], " ", INDENT)


def _score(state: np.void, seat: int) -> str:
    """A score, and what it is made of; it tells of the cards in hand."""
    minus, double = int(hand_points(state, seat)), "2 × " if state["is_express"] else ""
    laid = f"{double if seat == state['winner'] else ''}{state['laid'][seat]} laid"
    return f"score {_signed(score(state, seat))} ({laid}{f' - {double}{minus} in hand' if minus else ''})"


def _signed(points: float) -> str:
    return f"{points:+.6g}" if points else "0"


def _aside(state: np.void, seat: int) -> list[str]:
    """The cards that came along with the named one."""
    if seat != state["seat"] or state["aside_size"] == 0 or _is_over(state):
        return []
    cards = counted_on_screen(state["aside"], CARDS)
    return [INDENT + in_lines([f"taken along, not to be used yet: {cards[0]}", *cards[1:]], " ", INDENT)]


# ------------------------------------------------------------------------------------------------------------------ question


def _question(state: np.void) -> str:
    """What the player in turn is to do, and what its duty is."""
    ask = {
        Phase.START: _start,
        Phase.DRAWN: _drawn,
        Phase.DUTY: _duty,
        Phase.LAY: _lay,
        Phase.BUILD: _build,
        Phase.ADD: _add,
    }
    return ask[Phase(int(state["phase"]))](state)


def _start(state: np.void) -> str:
    if state["opened"][state["seat"]]:
        swap = _SWAP_FIRST if _has_swaps(state) else ""
        return f"{_draw(state)}, or takes the bank from a card on that makes a combination with two in hand.{swap}"
    return f"{_draw(state)}, or takes the bank from a card on with which it opens ({state['opening_points']} points in all)."


def _draw(state: np.void) -> str:
    if not can_draw(state):
        return "passes, which ends the deal, as the stock is empty"
    return "draws a card" if state["stock_size"] else "draws a card (the bank, but for its top card, becomes the new stock)"


def _has_swaps(state: np.void) -> bool:
    """Whether there are jokers on the table that the player in turn may take, for the right card."""
    return any(state["swaps"][number] and may_swap(state, number) for number in range(state["num_melds"]))


def _drawn(state: np.void) -> str:
    if state["opened"][state["seat"]]:
        return f"has drawn and discards a card.{_SWAP_FIRST if _has_swaps(state) else ''}"
    if state["lay_on_draw"] == LayOnDraw.ANY:
        return f"has drawn and discards a card, or opens ({state['opening_points']} points in all, from hand). {_ORDER}"
    return "has drawn and discards a card."


def _duty(state: np.void) -> str:
    return f"{_still(state)}. {_ORDER}"


def _still(state: np.void) -> str:
    """What the duty asks for still."""
    if state["duty"] == Duty.THIRD:
        return f"must lay a combination of {_card(state['named'])} and two cards or more that were in hand before"
    return f"must open; still needed: {_wanted(int(state['needed']), int(state['named']))}"


def _wanted(points: int, named: int) -> str:
    wanted = ([f"{points} points"] if points > 0 else []) + ([f"a combination with {_card(named)}"] if named != NO_CARD else [])
    return " and ".join(wanted)


def _lay(state: np.void) -> str:
    ways = "lays out, adds to combinations and swaps jokers" if _has_swaps(state) else "lays out and adds to combinations"
    return f"{ways} as it likes, then discards a card. {_ORDER}"


def _build(state: np.void) -> str:
    number = int(state["open_meld"])
    meld = int(state["meld"][number])
    ways = f"puts cards onto meld {number}{', or closes it' if is_good(meld) else ''}"
    named = int(state["named"])
    if named != NO_CARD and holds(meld, named):
        named = NO_CARD
    if state["duty"] != Duty.OPENING:
        return f"{ways}.{f' It must hold {_card(named)}.' if named != NO_CARD else ''}"
    wanted = _wanted(int(state["needed"]) - int(meld_points(meld, honours(state["ten_is_honour"]))), named)
    return f"{ways}. Still needed to open: {wanted}." if wanted else f"{ways}. That is enough to open."


def _add(state: np.void) -> str:
    number = int(state["open_meld"])
    is_ready = is_good(int(state["meld"][number]))
    ways = ["puts cards onto it"] if state["back"] == Phase.LAY else []
    ways += ["swaps its jokers"] if state["swaps"][number] and may_swap(state, number) else []
    ways += ["closes it"] if state["is_changed"] and is_ready else []
    return f"has chosen meld {number}{'' if is_ready else ', now with too many jokers'}: {', or '.join(ways)}."


# -------------------------------------------------------------------------------------------------------------------- ending


def _is_over(state: np.void) -> bool:
    return bool(state["terminated"] or state["truncated"])


def _ending(state: np.void, is_all_shown: bool) -> str:
    return f"{_outcome(state)} {_reward(state, is_all_shown)}"


def _outcome(state: np.void) -> str:
    winner = int(state["winner"])
    if state["truncated"]:
        return "The deal is truncated: nobody has won."
    if winner == NOBODY:
        return f"The stock is empty, and player_{state['seat']} has passed: nobody has won."
    if state["is_express"]:
        return (
            f"player_{winner} has won by an express, everything laid out in one turn: "
            "its points count double, and so does what the others have in hand."
        )
    return f"player_{winner} has discarded the last card and won."


def _reward(state: np.void, is_all_shown: bool) -> str:
    if state["reward"] == Reward.SCORE:
        return "Each gets its score."
    if not is_all_shown:
        return "Each gets its score less the mean of all."
    players = int(state["players"])
    mean = sum(int(score(state, seat)) for seat in range(players)) / players
    return f"Each gets its score less the mean of all, which is {_signed(mean)}."
