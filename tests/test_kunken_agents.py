"""The hand-written agents for Kunken: what they choose in given positions, and how strong they are."""

import contract
import numpy as np
import pytest

from penzoo.agents import HEURISTICS, heuristic_names, make_agent
from penzoo.envs import get_game
from penzoo.envs.batch import Batch
from penzoo.envs.kunken.melds import begun_with, fitting, is_good, show, swappable, with_card, with_joker
from penzoo.envs.kunken.state import CARDS, JOKER, MELD_WIDTH, NUM_CARDS, Phase
from penzoo.envs.kunken.stock import clear_bank, push
from penzoo.eval import evaluate

KUNKEN = get_game("kunken")
SEED = 4177
NAMES = tuple(HEURISTICS["kunken"])
PLAYERS = range(2, 6)
OPTIONS = [each for each in contract.STEADY_SETTINGS if each.game is KUNKEN and each.options]
FILLER = "2c 5c 8c Jc 3d 6d 9d Qd 4h 7h Th Kh As"  # a hand of which no two cards can be in one combination of three
STOCK = "2c 5d 8h Js Ac 4d 7h Ts Kc 3d 6h 9s Qc 2d 5h 8s Jc Ad 4h 7s"

every_heuristic = pytest.mark.parametrize("name", NAMES)


def cards(names: str) -> list[int]:
    """The card indices of cards in text."""
    return [CARDS.index(name) for name in names.split()]


def counts(names: str) -> np.ndarray:
    """How many of each kind there are of cards in text."""
    return np.bincount(cards(names), minlength=NUM_CARDS)


def position(hand, bank="", table="", *, opened="", others=(), known="", players=2, stock=STOCK, draw="", **options) -> Batch:
    """A batch of one deal in which seat 0 begins a turn, or has drawn `draw`.

    Combinations stand in `table` as in "3c 4c *=5c | Kc Kd Kh", the owner's seat before each if it is not 1, as in "0: 3c 4c 5c"; `opened`
    names the seats that have opened, `known` cards of seat 1 that everyone saw go there.
    """
    batch = Batch(KUNKEN, 1, 0, num_players=players, autoreset=False, **options)
    state = batch._states[0]
    clear_bank(state)
    for card in cards(bank):
        push(state, card)
    state["hand"], state["known"], state["known_size"] = 0, 0, 0
    for seat in range(players):
        names = hand if seat == 0 else others[seat - 1] if seat <= len(others) else FILLER
        state["hand"][seat], state["hand_size"][seat] = counts(names), len(names.split())
    state["known"][1], state["known_size"][1] = counts(known), len(known.split())
    for number, text in enumerate(table.split(" | ") if table else ()):
        set_meld(state, number, text)
    for seat in opened:
        state["opened"][int(seat)] = 1
    drawn = cards(f"{draw} {stock}")[::-1]
    state["stock"][: len(drawn)], state["stock_size"] = drawn, len(drawn)
    state["seat"], state["phase"], state["had_opened"], state["moves"] = 0, Phase.START, state["opened"][0], 1
    KUNKEN.loops.refresh_rows(batch._states, np.arange(1), 0, 1, batch._observations, batch._masks, batch._seats)
    return play(batch, "draw") if draw else batch


def set_meld(state: np.void, number: int, text: str) -> None:
    """Lay a combination on the table."""
    owner, _, names = text.rpartition(": ")
    first, *others = names.split()
    meld = begun_with(CARDS.index(first))
    for name in others:
        card = CARDS.index(name.removeprefix("*="))
        meld = with_joker(meld, card) if name.startswith("*") else with_card(meld, card)
    assert is_good(meld), f"{names}: no combination"
    state["meld"][number], state["owner"][number], state["num_melds"] = meld, int(owner or 1), number + 1
    state["fits"][number], state["swaps"][number] = fitting(meld), swappable(meld)
    show(meld, state["shown"][number * MELD_WIDTH : (number + 1) * MELD_WIDTH])


def play(batch: Batch, *actions: str) -> Batch:
    """Play actions in turn, by name."""
    for name in actions:
        batch.step([KUNKEN.actions.index(name)])
    return batch


def choice(name: str, batch: Batch) -> str:
    """What an agent does in a position, by name."""
    return KUNKEN.actions.name(int(make_agent(name, "kunken").act(batch.observations, batch.masks)[0]))


def turn(name: str, batch: Batch) -> str:
    """All that an agent does until its turn ends, by name."""
    actions = [choice(name, batch)]
    while play(batch, actions[-1]).seats[0] == 0 and not batch.terminated[0]:
        actions.append(choice(name, batch))
    return ", ".join(actions)


# ------------------------------------------------------------------------------------------------------------------- taking

ONE_CARD = ("9d",)  # a hand of one who is near to going out
KINGS = "Kc Kd Kh 3d 4d 6d 9s 7c Js 2h Tc 8s Qc"

# hand, bank, seats that have opened, other hands; what greedy and careful do at the start of a turn
TAKES = [
    # both open where they can
    (KINGS, "9s 5d 2c", "", (), "take 5d", "take 5d"),
    # and take more rather than less, as long as nobody is near to going out …
    ("8c 9c Qs Ks 2d", "7c 5h 2d 4s 9h 3s 6d As", "01", (), "take 7c", "take 7c"),
    # … else careful takes only what it can lay out
    ("8c 9c Qs Ks 2d", "7c 5h 2d 4s 9h 3s 6d As", "01", ONE_CARD, "take 7c", "take As"),
    # or leaves the bank alone
    ("8c 9c Kd", "7c 5h 2d 4s 9h 3s", "01", (), "take 7c", "take 7c"),
    ("8c 9c Kd", "7c 5h 2d 4s 9h 3s", "01", ONE_CARD, "take 7c", "draw"),
    # there may be nothing to take
    (FILLER, "9s 5d 2c", "", (), "draw", "draw"),
]


@pytest.mark.parametrize(("hand", "bank", "opened", "others", "greedy", "careful"), TAKES)
def test_takes(hand, bank, opened, others, greedy, careful):
    for name, expected in (("greedy", greedy), ("careful", careful)):
        assert choice(name, position(hand, bank, opened=opened, others=others)) == expected


# hand, bank; what greedy and careful do with an empty stock, when the deal may be ended
LAST_TAKES = [
    ("8c 9c Kd", "7c 5h", "take 7c", "take 7c"),  # 15 points, for 5 more in hand
    ("8c 9c Kd", "7c 5h Js Ts Qd", "take 7c", "pass"),  # as many, for 30 more
]


@pytest.mark.parametrize(("hand", "bank", "greedy", "careful"), LAST_TAKES)
def test_takes_from_the_bank_of_an_empty_stock(hand, bank, greedy, careful):
    for name, expected in (("greedy", greedy), ("careful", careful)):
        assert choice(name, position(hand, bank, opened="0", stock="")) == expected


# -------------------------------------------------------------------------------------------------------------- laying out

# hand, card drawn, table; what greedy and careful do, having opened, until they discard
TURNS = [
    # both lay new combinations, and put onto those on the table
    ("Kc Kd Kh 5s 9d", "2h", "", "put Kc, put Kd, put Kh, close", "put Kc, put Kd, put Kh, close"),
    ("6c Jd 9h 5h 7s", "2s", "3c 4c 5c", "meld 0, put 6c, close", "meld 0, put 6c, close"),
    # careful looks at what else can be laid
    (
        "5c 6c 7c 8c 8d 8h Kd",
        "2s",
        "",
        "put 5c, put 6c, put 7c, put 8c, close",
        "put 5c, put 6c, put 7c, close, put 8c, put 8d, put 8h, close",
    ),
    # and keeps a joker for the bank …
    ("* Jd 9h 5h 7s", "2s", "3c 4c 5c", "meld 0, put *=2c, close", ""),
    # … but not when it can go out
    ("* 9d", "2c", "3c 4c 5c", "meld 0, put 2c, close, meld 0, put *=Ac, close", "meld 0, put 2c, close, meld 0, put *=Ac, close"),
]


@pytest.mark.parametrize(("hand", "draw", "table", "greedy", "careful"), TURNS)
def test_turns(hand, draw, table, greedy, careful):
    for name, expected in (("greedy", greedy), ("careful", careful)):
        actions = turn(name, position(hand, "Ts", table, opened="0", draw=draw)).split(", ")
        assert ", ".join(actions[:-1]) == expected
        assert actions[-1].startswith("discard")


def test_careful_swaps_a_joker_at_the_start_of_its_turn():
    batch = position("Ac 9d 5h 7s Jd", "Ts", "Ah Ad *=Ac", opened="0")
    assert choice("greedy", batch) == "draw"
    for action in ("meld 0", "swap Ac", "close", "draw"):
        assert choice("careful", batch) == action
        play(batch, action)
    assert batch._states["hand"][0, 0, JOKER] == 1


def test_careful_goes_out_in_one_turn():
    batch = position("Kc Kd Kh Qc Qd Qh Jc Jd Jh 3d 4d 6d 9s", "2s 5d", others=(KINGS,))
    actions = turn("careful", batch)
    assert actions.startswith("take 5d") and actions.endswith("discard 9s")
    assert batch.terminated[0] and batch._states["is_express"][0] == 1


# ------------------------------------------------------------------------------------------------------------------ discard

# hand, what seat 1 is known to hold, seats that have opened; what greedy and careful discard
DISCARDS = [
    # both keep cards that can become a combination together, and jokers
    ("5s 6s Kh Kd 9c", "", "", "9c", "9c"),
    ("5s 6s * Kd", "", "", "Kd", "Kd"),
    # careful does not give away what another can lay
    ("9c 2h 5d 5s", "", "1", "9c", "9c"),
    ("9c 2h 5d 5s", "7c 8c", "1", "9c", "2h"),
]


@pytest.mark.parametrize(("hand", "known", "opened", "greedy", "careful"), DISCARDS)
def test_discards(hand, known, opened, greedy, careful):
    cards_of_hand, drawn = hand.split()[:-1], hand.split()[-1]
    for name, expected in (("greedy", greedy), ("careful", careful)):
        batch = position(" ".join(cards_of_hand), "Ts", opened=opened, others=(known or FILLER,), known=known, draw=drawn)
        assert choice(name, batch) == f"discard {expected}"


# ----------------------------------------------------------------------------------------------------------------- strength


@pytest.mark.parametrize("players", PLAYERS)
def test_careful_wins_points_among_greedy(players):
    rows = evaluate(["careful"] + ["greedy"] * (players - 1), "kunken", players=players, deals=300, seed=SEED).rows
    assert rows[0].agent == "careful"
    assert rows[0].payoff_interval[0] > 0


@pytest.mark.parametrize("players", PLAYERS)
def test_greedy_wins_points_among_random(players):
    rows = evaluate(["greedy"] + ["random"] * (players - 1), "kunken", players=players, deals=40, seed=SEED).rows
    assert rows[0].payoff_interval[0] > 0


@every_heuristic
@pytest.mark.parametrize("setting", OPTIONS, ids=str)
def test_deals_come_to_an_end_whatever_the_options(name, setting):
    row = evaluate([name], KUNKEN, players=setting.players, deals=5, seed=SEED, options=setting.options).rows[0]
    assert (row.truncated == 0) == (setting.options.get("max_moves") is None)


def test_names():
    assert heuristic_names("kunken") == ("random", "greedy", "careful")
