"""What is allowed in Kunken (RULES.md). Marks S, D, O are that page's.

Combinations are in `melds`, what they can be completed to in `completing`, the search for an opening in `opening`.
"""

import numpy as np

from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.kunken import melds, opening
from penzoo.envs.kunken.actions import CLOSE, DISCARD, DRAW, MELD, PASS, PUT, PUT_JOKER, SWAP, TAKE
from penzoo.envs.kunken.completing import can_complete, can_mend, first_puts, shortest_with
from penzoo.envs.kunken.melds import honours, is_good
from penzoo.envs.kunken.opening import held_kinds
from penzoo.envs.kunken.state import (
    JOKER,
    LONGEST_RUN,
    LONGEST_SET,
    NO_MELD,
    NUM_CARDS,
    NUM_KINDS,
    NUM_RANKS,
    NUM_SUITS,
    Duty,
    LayOnDraw,
    Phase,
)
from penzoo.envs.kunken.stock import can_draw, copy_at


@compiled
def legal_mask(state, mask):
    """Set `mask` (int8 of shape (NUM_ACTIONS,)) to 1 where the seat to move may act so, 0 elsewhere; all 0 after the end."""
    mask[:] = 0
    if state["terminated"] or state["truncated"]:
        return
    phase, hand = state["phase"], state["hand"][state["seat"]]
    if phase == Phase.START:
        _legal_start(state, hand, mask)
    elif phase == Phase.DRAWN:
        _legal_drawn(state, hand, mask)
    elif phase == Phase.LAY:
        _legal_lay(state, hand, mask)
    elif phase == Phase.ADD:
        _legal_add(state, hand, mask)
    else:
        _legal_new(state, hand, mask)


@compiled
def _legal_start(state, hand, mask):
    mask[DRAW if can_draw(state) else PASS] = 1
    seat = state["seat"]
    if state["opened"][seat]:
        held, _ = held_kinds(hand)
        _legal_third(state, held, int(hand[JOKER]), mask)
        _legal_melds(state, hand, held, False, mask)
    else:
        size, needed, high = int(state["hand_size"][seat]), int(state["opening_points"]), honours(state["ten_is_honour"])
        opening.mark_takes(hand, size, state["bank"], state["bank_size"], state["place"], needed, high, mask)


@compiled
def _legal_third(state, held, jokers, mask):
    """`take` of one who has opened: where the card can be in a combination with cards from hand, one being left to discard (S)."""
    size, bank_size = int(state["hand_size"][state["seat"]]), int(state["bank_size"])
    for depth in range(bank_size):
        room = size if depth + 1 == bank_size else size + 1  # on top of another card, those can be discarded
        mask[TAKE + copy_at(state["bank"], state["place"], depth)] = shortest_with(int(state["bank"][depth]), held, jokers) <= room


@compiled
def _legal_melds(state, hand, held, may_put, mask):
    """`meld`: combinations to which something can be added, or in which a joker can be swapped (S)."""
    seat, jokers = state["seat"], int(hand[JOKER])
    may_put = may_put and state["hand_size"][seat] > 1
    for number in range(state["num_melds"]):
        if held & state["swaps"][number] and may_swap(state, number):
            mask[MELD + number] = 1
        elif may_put:
            mask[MELD + number] = held & state["fits"][number] != 0 or (jokers > 0 and _can_put_joker(state, number, held, jokers))


@compiled
def may_swap(state, number):
    """Whether the player in turn may take a joker out of a combination (S, O)."""
    return state["swap_own_jokers"] or state["owner"][number] != state["seat"]


@compiled
def _can_put_joker(state, number, held, jokers):
    """Whether a joker can be put onto a combination at one end or the other, and what comes of it can be made good."""
    meld, fits = state["meld"][number], state["fits"][number]
    for _ in range(2):
        if fits == 0:
            return False
        card = melds.lowest_bit(fits)
        after, room = melds.with_joker(meld, card), state["hand_size"][state["seat"]] - 2
        if can_mend(after, held, jokers - 1, room, may_swap(state, number)):
            return True
        fits &= fits - 1
    return False


@compiled
def _legal_drawn(state, hand, mask):
    """After a draw that lets nothing be laid out: discard (S); swap (D), or begin to open (O)."""
    _legal_discards(hand, mask)
    seat = state["seat"]
    if state["opened"][seat]:
        held, _ = held_kinds(hand)
        _legal_melds(state, hand, held, False, mask)
    elif state["lay_on_draw"] == LayOnDraw.ANY:
        high, room = honours(state["ten_is_honour"]), int(state["hand_size"][seat]) - 1
        opening.mark_steps(NO_MELD, hand, int(state["opening_points"]), room, NO_CARD, high, mask)


@compiled
def _legal_discards(hand, mask):
    for card in range(NUM_CARDS):
        mask[DISCARD + card] = hand[card] > 0


@compiled
def _legal_lay(state, hand, mask):
    """Lay out as much as one likes, or discard (S)."""
    _legal_discards(hand, mask)
    held, _ = held_kinds(hand)
    _legal_melds(state, hand, held, True, mask)
    jokers, room = int(hand[JOKER]), int(state["hand_size"][state["seat"]]) - 1
    for suit in range(NUM_SUITS):
        naturals, filled = first_puts(held, jokers, room, suit)
        at = PUT + NUM_RANKS * suit
        if naturals | filled:
            for rank in range(NUM_RANKS):
                mask[at + rank] = (naturals >> rank) & 1
                mask[at + NUM_KINDS + rank] = (filled >> rank) & 1


@compiled
def _legal_new(state, hand, mask):
    """Begin a combination of the duty, or go on with a new combination."""
    seat = state["seat"]
    usable = hand.copy()
    for card in range(NUM_CARDS):
        usable[card] -= state["aside"][card]
    room = int(state["hand_size"][seat]) - int(state["aside_size"]) - (1 if state["aside_size"] == 0 else 0)
    begun = state["meld"][state["open_meld"]] if state["phase"] == Phase.BUILD else np.int64(NO_MELD)
    if state["duty"] == Duty.OPENING:
        high = honours(state["ten_is_honour"])
        opening.mark_steps(begun, usable, int(state["needed"]), room, int(state["named"]), high, mask)
        return
    held, _ = held_kinds(usable)
    jokers, named = int(usable[JOKER]), int(state["named"])
    if state["phase"] == Phase.DUTY:
        for card in range(NUM_KINDS):
            is_same_suit = named == JOKER or card // NUM_RANKS == named // NUM_RANKS
            if is_same_suit or card % NUM_RANKS == named % NUM_RANKS:
                _legal_put(melds.begun_with(card), card, held, jokers, room, named, mask)
            if is_same_suit:
                _legal_put_joker(melds.begun_with_joker(card), card, held, jokers, room, named, mask)
        return
    mask[CLOSE] = is_good(begun) and (named == NO_CARD or melds.holds(begun, named))
    if not melds.is_set(begun):
        size = melds.count_cards(begun)
        if size < LONGEST_RUN:
            card = NUM_RANKS * melds.suit_of(begun) + melds.upper_end(begun)
            _legal_put(melds.with_card(begun, card), card, held, jokers, room, named, mask)
            _legal_put_joker(melds.with_joker(begun, card), card, held, jokers, room, named, mask)
        if size > 1 or melds.count_jokers(begun):
            return
    _legal_puts_of_set(melds.as_set(begun), held, jokers, room, named, mask)


@compiled
def _legal_puts_of_set(begun, held, jokers, room, named, mask):
    """How a set goes on: another suit in their order, or a joker; no suit after a joker."""
    if melds.count_cards(begun) == LONGEST_SET:
        return
    rank, suits = melds.first_rank(begun), melds.natural_bits(begun)
    if melds.count_jokers(begun) == 0:
        for suit in range(NUM_SUITS):
            if suits >> suit == 0:
                card = NUM_RANKS * suit + rank
                _legal_put(melds.with_card(begun, card), card, held, jokers, room, named, mask)
    card = melds.joker_name(suits, rank)
    _legal_put_joker(melds.with_joker(begun, card), card, held, jokers, room, named, mask)


@compiled
def _legal_put(after, card, held, jokers, room, named, mask):
    """`put`, where what comes of it can be completed, after which a copy less is in hand (no combination has two)."""
    if (held >> card) & 1 and room > 0 and can_complete(after, held, jokers, room - 1, named):
        mask[PUT + card] = 1


@compiled
def _legal_put_joker(after, card, held, jokers, room, named, mask):
    if jokers > 0 and room > 0 and can_complete(after, held, jokers - 1, room - 1, named):
        mask[PUT_JOKER + card] = 1


@compiled
def _legal_add(state, hand, mask):
    """Put cards onto the chosen combination, or swap its jokers, in any order (S); `close` once something has been done."""
    number = state["open_meld"]
    meld, size, jokers = state["meld"][number], int(state["hand_size"][state["seat"]]), int(hand[JOKER])
    held, swapping = held_kinds(hand)[0], may_swap(state, number)
    mask[CLOSE] = state["is_changed"] and is_good(meld)
    if state["back"] == Phase.LAY and size > 1:
        fits = state["fits"][number]
        for card in range(NUM_KINDS):
            if (fits >> card) & 1:
                if (held >> card) & 1:
                    mask[PUT + card] = can_mend(melds.with_card(meld, card), held, jokers, size - 2, swapping)
                if jokers > 0 and (not melds.is_set(meld) or card == melds.joker_name(melds.natural_bits(meld), melds.first_rank(meld))):
                    mask[PUT_JOKER + card] = can_mend(melds.with_joker(meld, card), held, jokers - 1, size - 2, swapping)
    if swapping:
        swaps = state["swaps"][number] & held
        if swaps:
            room = size - 1 if state["back"] == Phase.LAY else 0
            for card in range(NUM_KINDS):
                if (swaps >> card) & 1:
                    mask[SWAP + card] = can_mend(melds.with_swapped(meld, card), held, jokers + 1, room, True)
