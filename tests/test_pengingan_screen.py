"""Pengingan as people see it: the screen, and playing at the terminal."""

import re
from collections import Counter

import contract
import numpy as np
import pytest
from pengingan_positions import PENGINGAN, Table

from penzoo.envs import get_game
from penzoo.envs.cards import SCREEN_WIDTH, in_lines
from penzoo.envs.pengingan.state import Building, Phase
from penzoo.play import move_text, payoff_text, play_deal

SEED = 20240
BACK = "▒▒"
MELD_OF_SEVENS = ["", "7c 7d 7h"]  # on the table of seat 1
LAID = "new, put 5c, put 5s, close"  # with 5d
EVERY_BUILDING = {(Phase.BUILD, kind) for kind in Building if kind != Building.NONE}
EVERY_PHASE = {(phase, Building.NONE) for phase in Phase if phase != Phase.BUILD} | EVERY_BUILDING


def screen(table, viewer=None, reveal=False):
    return PENGINGAN.text(table.state, viewer, reveal).splitlines()


def last_words(table):
    """What the screen asks, on one line."""
    lines = screen(table)
    last_seat = max(number for number, line in enumerate(lines) if re.match(r". player_\d.*chips", line))
    return " ".join(line.strip() for line in lines[last_seat + 1 :] if not line.strip().startswith(("meld", "live")))


# -------------------------------------------------------------------------------------------------------------- whole screens


def test_a_screen_in_the_middle_of_a_deal():
    table = Table(
        ["Ac 2c Kh 5h 5h 6s Js", "4s", None],
        ["5s 5d 5c", "3s 3s 3s | 2h 3h 4h | Kc Kd Ks", "7d Jd Qd Kd"],
        "5s",
        dead="Ac Ac 3d Ks Ks Ks",
        chips=[3, -1, -2],
        dealer=2,
        moves=40,
    )
    assert screen(table, 0) == [
        "Pengingan · 3 packs · stock 5 · dead 6 · move 40 of 20000",
        "dead: ♣ A×2 · ♦ 3 · ♠ K×3",
        "face up: 5♠, left by player_2",
        "> player_0: 7 in hand: A♣ 2♣ 5♥ 5♥ K♥ 6♠ J♠ · chips +3",
        "    meld 0: 5♣ 5♦ 5♠ pays 1 each",
        "    live: 5♣ 5♦ 5♥ 5♠",
        "  player_1: 1 in hand: ▒▒ · chips -1",
        "    meld 0: 3♠ 3♠ 3♠ pays 4 each · meld 1: 2♥ 3♥ 4♥ · meld 2: K♣ K♦ K♠",
        "    live: K♣ K♦ A♥ 5♥ K♥ 3♠ K♠",
        "  player_2 (dealer): 6 in hand: ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ · chips -2",
        "    meld 0: 7♦ J♦ Q♦ K♦ pays 1 each",
        "player_0: use 5♠, or decline it (pass): then it is dead, and a card is turned from the stock. It is",
        "    live (fits meld 0): declined, it may be demanded.",
    ]


def test_a_screen_while_the_table_is_rearranged():
    table = Table("7h 2c 3d", "2h 3h 4h 5h | 5s 5d 5c", "6h", moves=40).play("rearrange", "put 5d", "put 5s", "close", "put 3h")
    assert screen(table)[2:6] == [
        "face up: 6♥, being used by player_0",
        "> player_0 (dealer): 3 in hand: ▒▒ ▒▒ ▒▒ · chips 0",
        "    meld 0: 5♣ 5♦ 5♠ pays 1 each · meld 1: 2♥ 3♥ (open) · loose: 4♥ 5♥ 6♥",
        "  player_1: 10 in hand: ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ · chips 0",
    ]
    assert last_words(table) == (
        "player_0 rearranges all melds with 6♥: put cards onto meld 1, and close it, until none are loose. "
        "Cards go on in order (♣ ♦ ♥ ♠, A to K): 3♥ or later ones."
    )


def test_a_screen_at_the_end_shows_who_went_out_and_asks_nothing():
    table = Table("", "As 2s 3s 4s | 5c 5d 5h | 6c 6d 6h", "5s").arrange("extend 0")
    lines = screen(table)
    assert lines[2:4] == ["face up: none", "  player_0 (dealer): nothing in hand · chips +6"]
    assert lines[-1] == "player_0 went out and got 1 from each, and 3 more for the conditions on the table"
    assert not any(line.startswith(">") or "live" in line for line in lines)


# ------------------------------------------------------------------------------------------------------------------- its parts


@pytest.mark.parametrize(
    ("meld", "shown"),
    [
        ("Ks Qs Js", "J♠ Q♠ K♠ pays 2 each"),
        ("Jh 7h 6h", "6♥ 7♥ J♥"),
        ("As 2s 3s 4s 5s 6s 7s Js Qs Ks", "A♠ 2♠ 3♠ 4♠ 5♠ 6♠ 7♠ J♠ Q♠ K♠ pays 2 each"),
        ("7s 7s 7c 7h 7c", "7♣ 7♣ 7♥ 7♠ 7♠ pays 1 each"),
        ("5d 5d 5d", "5♦ 5♦ 5♦ pays 2 each"),
        ("6s 6s 6s", "6♠ 6♠ 6♠ pays 2 each"),
        ("Ad As Ac", "A♣ A♦ A♠"),
    ],
)
def test_a_meld_in_the_order_of_the_game_with_what_it_pays(meld, shown):
    assert f"    meld 0: {shown}" in screen(Table("", meld, "2c"))


@pytest.mark.parametrize(
    ("position", "face_up"),
    [
        ({"moves": 0}, "2♣, turned up at the deal"),
        ({"moves": 9}, "2♣, left by player_1"),
        ({"moves": 9, "turn": 1}, "2♣, left by player_0"),
        ({"phase": Phase.SECOND}, "2♣, turned from the stock"),
        ({"phase": Phase.SECOND, "is_extra": True}, "2♣, the extra card, turned from the stock"),
        ({"phase": Phase.EXTRA}, "2♣, discarded by player_0"),
    ],
)
def test_what_lies_face_up_and_why(position, face_up):
    assert f"face up: {face_up}" in screen(Table(card="2c", **position))


OFFERED = {"hands": "5s 5c 7s 2c", "tables": MELD_OF_SEVENS, "card": "5d"}
DECLINED = {"hands": [None, "2c 3h"], "tables": MELD_OF_SEVENS, "card": "7s", "turn": 1}
QUESTIONS = [
    ({"card": "2c"}, "", "player_0: use 2♣, or decline it (pass): then it is dead, and a card is turned from the stock."),
    ({"card": "2c", "stock": ""}, "", "player_0: use 2♣, or decline it (pass): then the deal ends, as the stock is empty."),
    (
        {"card": "2c", "stock": "", "dead": "2d", "stock_out": "reshuffle"},
        "",
        "player_0: use 2♣, or decline it (pass): then it is dead, and a card is turned from the stock.",
    ),
    ({"card": "2c", "phase": Phase.SECOND}, "", "player_0: use 2♣, or decline it (pass): then it stays for player_1."),
    (
        {"tables": "7c 7d 7h | 4s 5s 6s", "card": "7s", "forcing": "always"},
        "",
        "player_0 must use 7♠, which is live (fits meld 0 or 1).",
    ),
    (
        {"tables": "7c 7d 7h", "card": "7s", "phase": Phase.SECOND, "forcing": "never"},
        "",
        "player_0: use 7♠, or decline it (pass): then it stays for player_1.",
    ),
    (
        DECLINED,
        "pass",
        "player_0 is asked: player_1 declined 7♠, which is live (fits meld 0): demand that it is used, or waive that (pass)?",
    ),
    (
        {"tables": ["", "4s 5s 6s | 7c 7d 7h"], "card": "7s", "turn": 1, "players": 3},
        "pass, pass",
        "player_0 is asked: player_1 declined 7♠, which is live (fits meld 0 or 1): demand that it is used, or waive that (pass)?",
    ),
    (DECLINED, "pass, demand", "player_1 must put 7♠ onto meld 0: it has been demanded."),
    (
        DECLINED,
        "pass, demand, extend 0",
        "player_1 extends meld 0 with 7♠, which was demanded: put cards from hand onto it, or close it.",
    ),
    (
        DECLINED,
        "pass, demand, extend 0, close, discard 2c",
        "player_1 may turn an extra card, which covers and kills 2♣, or end the turn (pass).",
    ),
    (
        {**DECLINED, "stock": ""},
        "pass, demand, extend 0, close, discard 2c",
        "player_1 can turn no extra card, as the stock is empty: end the turn (pass).",
    ),
    (OFFERED, "new", "player_0 begins meld 0 with 5♦: put cards from hand onto it, and close it."),
    (
        OFFERED,
        "new, put 5c",
        (
            "player_0 begins meld 0 with 5♦: put cards from hand onto it, and close it. "
            "Cards go on in order (♣ ♦ ♥ ♠, A to K): 5♣ or later ones."
        ),
    ),
    ({**OFFERED, "tables": ()}, LAID, "player_0 discards a card."),
    (OFFERED, LAID, "player_0 discards a card. One that is live for player_1 may be sent back."),
    ({**OFFERED, "forcing": "always"}, LAID, "player_0 discards a card: none that is live for player_1, unless all are."),
    ({**OFFERED, "forcing": "never"}, LAID, "player_0 discards a card."),
    (
        {**OFFERED, "players": 3},
        f"{LAID}, discard 7s, pass",
        (
            "player_2 is asked: player_0 discarded 7♠, which is live for player_1 (fits meld 0): "
            "demand that it is taken back, or waive that (pass)?"
        ),
    ),
    (
        OFFERED,
        f"{LAID}, discard 7s, demand",
        "player_0 had to take a live card back: discard another, which is not live for player_1.",
    ),
    ({"card": "2c", "stock": ""}, "pass", "the stock is empty: nobody went out, all payments stand"),
    ({"card": "2c", "max_moves": 1}, "pass", "truncated: nobody went out, all payments stand"),
    (
        {"hands": "", "tables": "2c 3c 4c 5c 6c 7c | Kd Kh Kh Kh", "card": "Jc"},
        "extend 0, close",
        "player_0 went out and got 1 from each",
    ),
]


@pytest.mark.parametrize(("position", "actions", "asked"), QUESTIONS)
def test_the_question_says_who_decides_what_and_why(position, actions, asked):
    assert last_words(Table(**position).play(*filter(None, actions.split(", ")))) == asked


@pytest.mark.parametrize(
    ("turn", "forcing", "live"),
    [
        (0, "ask", ["J♣ J♦ J♥ J♠", "7♣ 7♦ 7♥ 7♠"]),
        (1, "always", ["7♣ 7♦ 7♥ 7♠", "6♣ 6♦ 6♥ 6♠"]),
        (2, "ask", ["J♣ J♦ J♥ J♠", "6♣ 6♦ 6♥ 6♠"]),
        (0, "never", []),
    ],
)
def test_live_cards_are_shown_of_the_player_in_turn_and_of_the_next(turn, forcing, live):
    lines = screen(Table(tables=["Jc Jd Jh", "7c 7d 7h", "6c 6d 6h"], card="2c", turn=turn, forcing=forcing))
    assert [line.removeprefix("    live: ") for line in lines if "live: " in line] == live


def test_marks_of_players():
    asked = screen(Table(tables=MELD_OF_SEVENS, card="7s", turn=1, dealer=1).play("pass"))
    assert [line.split(":")[0] for line in asked if "chips" in line] == ["> player_0", "  player_1 (dealer, in turn)"]
    flat = screen(Table(["", None], "2c 3c 4c 5c 6c 7c | Kd Kh Kh Kh", "2d"))
    assert "> player_0 (dealer): nothing in hand (flat) · chips 0" in flat
    out = screen(Table("5s 5c 2c", "6c 6d 6h | 2h 3h 4h 5h", "5d", going_out="empty_hand").arrange("new", "5c 5s").play("discard 2c"))
    assert "  player_0 (dealer): nothing in hand · chips +3" in out


def test_a_card_taken_back_is_known_to_all_until_it_is_played():
    table = Table("5s 5c 7s 2c 3h", MELD_OF_SEVENS, "5d").arrange("new", "5c 5s").play("discard 7s", "demand")
    assert "> player_0 (dealer): 3 in hand: 7♠ ▒▒ ▒▒ · chips +1" in screen(table, 1)
    assert "> player_0 (dealer): 3 in hand: 2♣ 3♥ 7♠ · chips +1" in screen(table, 0)


def test_the_headline_tells_of_a_reshuffle():
    assert "stock 5 (dead cards, shuffled) ·" in screen(Table(card="2c", is_reshuffled=True, stock_out="reshuffle"))[0]


def test_many_dead_cards_take_a_second_line():
    lines = screen(Table(card="2c", dead=" ".join(name for name in PENGINGAN.card_names for _ in range(2)), players=8))
    assert lines[1] == "dead: ♣ A×2 2×2 3×2 4×2 5×2 6×2 7×2 J×2 Q×2 K×2 · ♦ A×2 2×2 3×2 4×2 5×2 6×2 7×2 J×2 Q×2 K×2"
    assert lines[2].startswith("    ♥ A×2 2×2") and " · ♠ A×2" in lines[2]


# ----------------------------------------------------------------------------------------------------------------- random play


def least_seen(batch, seen):
    """The row in the phase, and with the kind of arrangement, that has been seen least."""
    kinds = [(Phase(int(state["phase"])), Building(int(state["building"]))) for state in batch.states]
    row = min(range(batch.num_envs), key=lambda row: seen[kinds[row]])
    seen[kinds[row]] += 1
    return batch.states[row]


def check_screen(state, viewer):
    """It has no line that is too long, and shows of other hands just the cards that all have seen."""
    lines = PENGINGAN.text(state, viewer, False).splitlines()
    assert max(map(len, lines)) <= SCREEN_WIDTH
    hands = [line for line in lines if re.match(r". player_\d.* · chips", line)]
    for seat, line in enumerate(hands):
        hidden = 0 if seat == viewer else state["hand_size"][seat] - state["known"][seat].sum()
        assert line.count(BACK) == hidden, line
    assert len(hands) == state["players"]
    assert BACK not in PENGINGAN.text(state, viewer, True)


@pytest.mark.parametrize("players", [2, 4, 8])
def test_every_phase_of_random_play_shows_what_may_be_seen_and_nothing_else(players):
    seen = Counter()
    batch = contract.Setting(PENGINGAN, players).batch(64)
    states = []
    for _ in contract.play(batch, 150):
        states.append(least_seen(batch, seen).copy())
        check_screen(states[-1], len(states) % players)
        check_screen(states[-1], None)
    assert set(seen) == EVERY_PHASE
    setting, seats = contract.Setting(PENGINGAN, players), np.arange(len(states)) % players
    contract.check_blind(lambda found, eyes: contract.texts(setting, found, eyes), PENGINGAN, np.array(states), seats)


@pytest.mark.parametrize("players", [2, 5])
def test_every_option_can_be_shown(players):
    for setting in contract.settings(PENGINGAN):
        if setting.players == players:
            for state in contract.walk(setting, rows=8, longest=60).states:
                check_screen(state, None)


# ------------------------------------------------------------------------------------------------------------------------ play


@pytest.mark.parametrize(
    ("game", "action", "shown"),
    [
        ("pengingan", "put 5s", "put 5♠"),
        ("pengingan", "discard Kd", "discard K♦"),
        ("pengingan", "extend 0", "extend 0"),
        ("pengingan", "pass", "pass"),
        ("pen", "Th", "10♥"),
        ("pen", "take", "take"),
    ],
)
def test_moves_as_people_read_them(game, action, shown):
    assert move_text(get_game(game), action) == shown


@pytest.mark.parametrize(
    ("game", "value", "shown"), [("pengingan", 3.0, "+3 chips"), ("pengingan", -12.0, "-12 chips"), ("pen", 0.5, "+0.500")]
)
def test_payoffs_in_the_unit_of_the_game(game, value, shown):
    assert payoff_text(get_game(game), value) == shown


@pytest.mark.parametrize(
    ("lengths", "indent", "lines"),
    [
        ([], "", [""]),
        ([1, 1], "", ["a, a"]),
        ([50, 48], "", ["a" * 50 + ", " + "a" * 48]),
        ([50, 49], "", ["a" * 50, "a" * 49]),
        ([50, 46, 1], "  ", ["a" * 50 + ", " + "a" * 46, "  a"]),
        ([50, 47, 1], "  ", ["a" * 50, "  " + "a" * 47 + ", a"]),
        ([120, 1], "  ", ["a" * 120, "  a"]),
    ],
)
def test_parts_in_lines_as_wide_as_a_screen(lengths, indent, lines):
    assert in_lines(["a" * length for length in lengths], ", ", indent) == "\n".join(lines)


def played(answer, **arguments):
    """A deal at the terminal: its record, or None if it was given up, and all that was shown, the prompts included.

    `answer` is what the person answers to a list of moves.
    """
    shown = []

    def read(prompt):
        moves = [move.partition(" ")[2] for move in re.split(" {3}|\n", shown[-1])]
        shown.append(prompt)
        return answer(moves)

    arguments = {"players": 4, "opponents": ["random"], "seed": SEED, **arguments}
    return play_deal(PENGINGAN, read=read, write=shown.append, **arguments), shown


def eager(moves):
    """The second move, wherever there is one."""
    return "2" if len(moves) > 1 else ""


@pytest.fixture(scope="module")
def deal():
    record, shown = played(eager)
    return record, "\n".join(shown)


def test_payments_are_told_as_chips_flow_and_in_the_end(deal):
    record, shown = deal
    chips = np.zeros(4)
    for seat, amount in re.findall(r"^    player_(\d) \(\w+\) gets (\d+) from each$", shown, re.MULTILINE):
        chips -= int(amount)
        chips[int(seat)] += 4 * int(amount)
    assert chips.any() and chips.tolist() == list(record.returns)
    final = re.findall(r"^  player_\d \((?:you|random)\): ([+-]\d+) chips$", shown, re.MULTILINE)
    assert [float(value) for value in final] == list(record.returns)


def test_a_payment_at_the_end_alone_is_told_once():
    assert not [line for line in played_pen() if "gets" in line or line.startswith("    ")]


def played_pen():
    shown = []
    play_deal(get_game("pen"), players=2, opponents=["greedy"], seed=SEED, read=lambda prompt: "1", write=shown.append)
    return shown


REMARKS = {
    Phase.FIRST: "{card}",
    Phase.SECOND: "{card} from the stock",
    Phase.FORCED: "{card}",
    Phase.BUILD: "",
    Phase.DISCARD: "",
    Phase.ASK_USE: "whether {card} must be used",
    Phase.ASK_DISCARD: "whether {card} must be taken back",
    Phase.EXTRA: "an extra card",
}


def test_every_move_is_told_with_what_it_is_about(deal):
    record, shown = deal
    told = re.findall(r"^  player_(\d) \((?:you|random)\): ([a-z]+(?: [^\s(]+)?)(?: \((.+)\))?$", shown, re.MULTILINE)
    positions = [position for position in record.replay() if position.action is not None]
    for position, (seat, move, remark) in zip(positions, told, strict=True):
        assert (position.seat, move_text(PENGINGAN, position.action)) == (int(seat), move)
        phase, card = Phase(position.state["phase"]), move_text(PENGINGAN, PENGINGAN.card_names[position.state["card"]])
        assert remark == REMARKS[phase].format(card=card)


def test_questions_out_of_turn_are_put_to_the_person(deal):
    record, shown = deal
    questions = [part for part in shown.split("\n\n") if re.search(r"^player_0 is asked: player_[123] ", part, re.MULTILINE)]
    assert questions
    for question in questions:
        assert "\n1 pass   2 demand\nyour move: \n  player_0 (you): demand (" in question
    assert len(questions) == record.actions.count((0, "demand"))


@pytest.mark.parametrize("form", ["{number}", "discard {name}", "DISCARD  {name}", "discard {drawn}", " {name} ", "{drawn}"])
def test_a_discard_may_be_answered_in_many_ways(form):
    asked = []

    def answer(moves):
        if asked:
            raise EOFError
        if not moves[-1].startswith("discard"):
            return eager(moves)
        drawn = moves[-1].split()[1]
        name = next(card for card in PENGINGAN.card_names if move_text(PENGINGAN, card) == drawn)
        asked.append(drawn)
        return form.format(number=len(moves), name=name, drawn=drawn)

    _, shown = played(answer)
    assert f"  player_0 (you): discard {asked[0]}" in shown


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("new", "new is not allowed now"),
        ("put 5♠", "put 5♠ is not allowed now"),
        ("5s", "'5s' is not allowed now"),
        ("10h", "There is no move '10h'"),
        ("2", "There is no move '2'"),
    ],
)
def test_a_wrong_answer_is_told_and_enter_plays_an_only_move(wrong, told):
    answers = iter([wrong, "?", ""])
    _, shown = played(lambda moves: next(answers, "q"), seed=3)
    assert f"{told}. Give a number or a name: 1 or pass." in shown
    assert any(text.startswith("Answer with the number") and "as in Ac or A♣ (c clubs" in text for text in shown)
    assert shown.count("your only move is pass, Enter plays it: ") == 4
    assert "  player_0 (you): pass (5♠)" in shown


def test_forced_moves_of_others_are_not_told_as_such():
    _, shown = played(eager, options={"auto_single": True})
    told = [text for text in shown if text.startswith("  player_") and "the only move" in text]
    assert told and all(text.startswith("  player_0 (you)") for text in told)


@pytest.mark.parametrize("players", [2, 8])
def test_a_list_of_moves_is_no_wider_than_a_screen(players):
    _, shown = played(eager, players=players, options={"max_moves": 200})
    lists = [text for text in shown if text.startswith("1 ")]
    assert max(len(line) for text in lists for line in text.splitlines()) <= SCREEN_WIDTH
