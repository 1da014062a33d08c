"""A deal of Пень on one readable screen."""

import numpy as np

from penzoo.envs.cards import on_screen
from penzoo.envs.pen.state import CARDS, HAND, NOT_OUT, NUM_CARDS, STUMP, Phase

_BACK = "▒▒"


def text(state: np.void, viewer: int | None, reveal: bool) -> str:
    """The deal as text.

    Args:
        state: one record of `state.STATE`.
        viewer: the seat whose cards are shown, or None for what everybody sees.
        reveal: show every card.
    """
    lines = [_headline(state), _pile(state)]
    lines += [_seat(state, seat, viewer, reveal) for seat in range(state["players"])]
    lines.append(_ending(state) or _question(state))
    return "\n".join(lines)


def _headline(state: np.void) -> str:
    trump_card = CARDS[state["trump_card"]]
    return (
        f"Пень · trumps {on_screen(trump_card)[-1]} ({on_screen(trump_card)} was shown) · "
        f"stock {state['stock_size']} · move {state['moves']} of {state['max_moves']}"
    )


def _pile(state: np.void) -> str:
    size = int(state["pile_size"])
    cards = [on_screen(CARDS[card]) for card in state["pile"][:size]]
    return f"pile {size}, top last: {' '.join(cards)}" if cards else "pile empty"


def _seat(state: np.void, seat: int, viewer: int | None, reveal: bool) -> str:
    turn = ">" if seat == state["seat"] and not (state["terminated"] or state["truncated"]) else " "
    dealer = " (dealer)" if seat == state["dealer"] else ""
    place = int(state["out_place"][seat])
    if place != NOT_OUT:
        return f"{turn} player_{seat}{dealer}: out, place {place}"
    hand = _cards(state, HAND + seat, seat == viewer, reveal)
    stump = f" · stump {_cards(state, STUMP + seat, False, reveal)}" if state["in_stump"][seat] else ""
    return f"{turn} player_{seat}{dealer}: {int(state['in_hand'][seat])} in hand: {hand}{stump}"


def _cards(state: np.void, place: int, is_own: bool, reveal: bool) -> str:
    """The cards at a place, the hidden ones by their backs, which stand last."""
    cards = [card for card in range(NUM_CARDS) if state["place"][card] == place]
    shown = [card for card in cards if reveal or is_own or state["known"][card]]
    return " ".join([on_screen(CARDS[card]) for card in shown] + [_BACK] * (len(cards) - len(shown)))


def _question(state: np.void) -> str:
    if state["phase"] == Phase.LEAD:
        return f"player_{state['seat']} leads"
    top = CARDS[state["pile"][state["pile_size"] - 1]]
    return f"player_{state['seat']} is to beat {on_screen(top)}"


def _ending(state: np.void) -> str:
    if state["truncated"]:
        return "truncated: nobody has lost"
    if not state["terminated"]:
        return ""
    losers = [seat for seat in range(state["players"]) if state["out_place"][seat] == NOT_OUT]
    return f"player_{losers[0]} is left with cards and has lost" if losers else "a draw: the last card was beaten by a last card"
