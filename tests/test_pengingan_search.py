"""What can be laid, against a brute force that shares no code with the engine: every arrangement that the rules allow, and no other.

The brute force knows cards as text. It tries all ways to choose cards from hand and to divide them with the table's cards into melds, and
keeps those that RULES.md allows; the engine's masks are walked to the end of every arrangement.
"""

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest
from pengingan_positions import BETWEEN, Table

RANKS = "A234567JQK"
SUITS = "cdhs"
PACK = [rank + suit for suit in SUITS for rank in RANKS]
OWNED = 10  # cards of a player between turns
HAND_CARDS = ("used_meld", "any_meld")
CASES, MANY_CASES = 80, 2000
TRIES = 20  # at a meld
CANDIDATES = 4  # for the card used in half of the positions: the one that can rearrange in most ways
SHARE = {"new": 0.05, "extend 0": 0.05, "extend 1": 0.03, "live": 0.1, "rearrange": 0.1}  # of the positions, at the least

Cards = tuple[str, ...]  # in the order of the card index
Melds = tuple[Cards, ...]

# --------------------------------------------------------------------------------------------------------- the brute force


def in_order(cards) -> Cards:
    return tuple(sorted(cards, key=PACK.index))


def is_good(cards: Cards) -> bool:
    ranks, suits = [card[0] for card in cards], {card[1] for card in cards}
    if len(cards) < 3:
        return False
    if len(set(ranks)) == 1:
        return ranks[0] in "AK" or len(suits) != 2
    return len(suits) == 1 and "".join(sorted(ranks, key=RANKS.index)) in RANKS


def is_bound(meld: Cards) -> bool:
    """Whether only cards of its suit may be added."""
    return len({card[0] for card in meld}) == 1 and meld[0][0] not in "AK" and len({card[1] for card in meld}) == 1


def choices(cards) -> set[Cards]:
    """All ways to choose some, all or none of the cards."""
    return {in_order(chosen) for size in range(len(cards) + 1) for chosen in itertools.combinations(cards, size)}


@cache
def partitions(cards: Cards) -> frozenset[Melds]:
    """All ways to divide cards into good melds."""
    if not cards:
        return frozenset({()})
    first, others, found = cards[0], cards[1:], set()
    mates = {shared: [card for card in others if card[shared] == first[shared]] for shared in (0, 1)}  # of its rank, of its suit
    for chosen in choices(mates[0]) | choices(mates[1]):
        meld = in_order((first, *chosen))
        if is_good(meld):
            rest = in_order((Counter(others) - Counter(chosen)).elements())
            found |= {tuple(sorted((meld, *more))) for more in partitions(rest)}
    return frozenset(found)


def is_hand_in_used_meld(melds: Melds, table: Counter, used: str) -> bool:
    """Whether one meld holds the card used, and the others need no cards but the table's."""
    others = [Counter(itertools.chain(*melds[:k], *melds[k + 1 :])) for k, meld in enumerate(melds) if used in meld]
    return any(cards <= table for cards in others)


def is_none_of_hand_alone(melds: Melds, loose: Counter) -> bool:
    """Whether each meld can have a card that is not from hand."""
    return any(Counter(chosen) <= loose for chosen in itertools.product(*melds))


def is_as_before(former: Melds, melds: Melds) -> bool:
    """Whether each former meld can be found whole in a meld of its own."""
    return any(
        all(Counter(meld) <= Counter(place) for meld, place in zip(former, places, strict=True))
        for places in itertools.permutations(melds, len(former))
    )


def orders(melds: Melds, loose: Counter) -> Iterator[Melds]:
    """The orders in which melds can be built: the lowest loose card opens each, and of one kind the loose card goes first."""
    if not melds and not loose:
        yield ()
    if not melds or not loose:
        return
    lowest = min(loose, key=PACK.index)
    for meld in set(melds):
        if lowest in meld:
            rest = list(melds)
            rest.remove(meld)
            for more in orders(tuple(rest), loose - Counter(meld)):
                yield (meld, *more)


def rearrangements(former: Melds, hand: Cards, used: str, hand_cards: str) -> set[Melds]:
    """All tables to which the card used can lead by rearranging, each in every order of its melds."""
    table = Counter(itertools.chain(*former))
    loose, found = table + Counter([used]), set()
    for chosen in choices(hand):
        for melds in partitions(in_order((*loose.elements(), *chosen))):
            is_placed = is_hand_in_used_meld(melds, table, used) if hand_cards == "used_meld" else is_none_of_hand_alone(melds, loose)
            if is_placed and not is_as_before(former, melds):
                found |= set(orders(melds, loose))
    return found


def new_melds(former: Melds, hand: Cards, used: str) -> set[Melds]:
    melds = {in_order((used, *chosen)) for chosen in choices(hand)}
    return {(*former, meld) for meld in melds if is_good(meld)}


def extensions(former: Melds, number: int, hand: Cards, used: str) -> set[Melds]:
    melds = {in_order((*former[number], used, *chosen)) for chosen in choices(hand)}
    allowed = {meld for meld in melds if is_good(meld) and (not is_bound(former[number]) or is_bound(meld))}
    return {(*former[:number], meld, *former[number + 1 :]) for meld in allowed}


# ---------------------------------------------------------------------------------------------------------- the positions


def random_meld(pool: Counter, chance: random.Random) -> Cards:
    """A meld of the cards of a pool, or none."""
    cards, size = list(pool.elements()), chance.choice((3, 3, 4, 4, 5, 6, 7))
    rank, suit = chance.choice(cards)
    if chance.random() < 0.5:
        mates = [card for card in cards if card[0] == rank]
        meld = in_order(chance.sample(mates, min(size, len(mates))))
    else:
        low = RANKS.index(rank)
        meld = tuple(higher + suit for higher in RANKS[low : low + size])
    return meld if is_good(meld) and Counter(meld) <= pool else ()


def random_melds(pool: Counter, chance: random.Random) -> Melds:
    """Up to three melds of the cards of a pool, and a card at least left in it."""
    melds, wanted = [], chance.choice((0, 1, 1, 2, 2, 3))
    for _ in range(TRIES):
        meld = random_meld(pool - Counter(itertools.chain(*melds)), chance)
        room = min(OWNED, pool.total() - 1) - sum(map(len, melds))
        if meld and len(melds) < wanted and len(meld) <= room:
            melds.append(meld)
    return tuple(melds)


def random_position(packs: int, chance: random.Random) -> tuple[Melds, Cards, str]:
    """A table, a hand and a card, of few ranks and suits, so that much can be laid and many cards are alike."""
    low = chance.randrange(len(RANKS) - 3)
    ranks, suits = RANKS[low : low + chance.randint(2, 8)], chance.sample(SUITS, chance.randint(1, 4))
    pool = Counter({rank + suit: packs for rank in ranks for suit in suits})
    melds = random_melds(pool, chance)
    pool -= Counter(itertools.chain(*melds))
    most = min(OWNED - sum(map(len, melds)), 7, pool.total() - 1)
    hand = in_order(chance.sample(list(pool.elements()), chance.randint(0, most)))
    pool -= Counter(hand)
    cards = chance.sample(list(pool), min(chance.choice((1, CANDIDATES)), len(pool)))
    return melds, hand, max(cards, key=lambda card: len(rearrangements(melds, hand, card, "any_meld")))


def text(melds: Melds) -> str:
    return BETWEEN.join(" ".join(meld) for meld in melds)


def check_what_can_be_laid(melds: Melds, hand: Cards, used: str, hand_cards: str) -> list[str]:
    """Compare everything that can be laid in a position; returns how it can begin."""
    table = Table(" ".join(hand), text(melds), used, hand_cards=hand_cards)
    expected = {
        "new": new_melds(melds, hand, used),
        **{f"extend {number}": extensions(melds, number, hand, used) for number in range(len(melds))},
        "rearrange": rearrangements(melds, hand, used, hand_cards),
    }
    for first, tables in expected.items():
        where = f"{first} with {used}, table {text(melds)}, hand {' '.join(hand)}, {hand_cards}"
        ways = [tuple(tuple(meld.split()) for meld in way) for way in table.ways(first)]
        assert set(ways) == tables, where
        assert len(ways) == len(tables), f"{where}: one of them in two ways"
    begins = [first for first, tables in expected.items() if tables]
    assert table.legal.split(", ") == ["pass", *begins]
    return begins


def check_what_is_live(melds: Melds, hand: Cards, used: str) -> bool:
    """Compare what is live, and what a player who is forced can do; returns whether the card is live."""
    table = Table(" ".join(hand), text(melds), used)
    fitting = {card: [number for number in range(len(melds)) if extensions(melds, number, (), card)] for card in PACK}
    assert table.live(0).split() == [card for card in PACK if fitting[card]]
    is_live = bool(fitting[used])
    assert (table.play("pass").legal == "pass, demand") == is_live, text(melds)
    if is_live:
        assert table.play("demand").offered("extend").split() == [str(number) for number in fitting[used]]
    return is_live


def check_many(packs: int, hand_cards: str, count: int) -> None:
    """Compare in so many random positions, and see that there was enough to lay."""
    chance, seen = random.Random(f"{packs} {hand_cards}"), Counter()
    for _ in range(count):
        melds, hand, used = random_position(packs, chance)
        seen.update(check_what_can_be_laid(melds, hand, used, hand_cards))
        seen["live"] += check_what_is_live(melds, hand, used)
    assert all(seen[first] >= share * count for first, share in SHARE.items()), seen


# --------------------------------------------------------------------------------------------------------------- the tests


@pytest.mark.parametrize("hand_cards", HAND_CARDS)
@pytest.mark.parametrize("packs", [2, 3, 4])
def test_what_can_be_laid_is_what_the_rules_allow(packs, hand_cards):
    check_many(packs, hand_cards, CASES)


@pytest.mark.slow
@pytest.mark.parametrize("hand_cards", HAND_CARDS)
@pytest.mark.parametrize("packs", [2, 3, 4, 8])
def test_what_can_be_laid_is_what_the_rules_allow_in_many_positions(packs, hand_cards):
    check_many(packs, hand_cards, MANY_CASES)


def test_the_brute_force_finds_a_worked_case():
    melds = (("2h", "3h", "4h", "5h"), ("5c", "5d", "5s"))
    tables = rearrangements(melds, ("7h",), "6h", "used_meld")
    assert tables == {(("5c", "5d", "5s"), ("2h", "3h", "4h"), ("5h", "6h", "7h"))}
