"""Kunken as people see it: the screen, and playing at the terminal."""

import re
from collections import Counter

import contract
import numpy as np
import pytest
from kunken_positions import KUNKEN, Table

from penzoo.envs.cards import BACK, BETWEEN, SCREEN_WIDTH, on_screen
from penzoo.envs.kunken.state import Phase
from penzoo.play import move_text, play_deal

SEED = 20240
KINGS = "Kc Kd Kh 3d 4d 6d 2c 7s 9s Tc Qd 5h 8c"  # with 5d enough to open
ORDER = "Cards are put in order: a run upwards, a set by suits (♣♦♥♠), its jokers last."
HAND = re.compile(r"[> ] player_\d.*( in hand)")


def screen(table, viewer=None, reveal=False):
    return KUNKEN.text(table.state, viewer, reveal).splitlines()


def last_words(table):
    """What the screen asks or tells below the table, on one line."""
    lines = screen(table)
    begin = max(number for number, line in enumerate(lines) if not line.startswith((" ", ">")))
    return " ".join(line.strip() for line in lines[begin:])


# -------------------------------------------------------------------------------------------------------------- whole screens


def test_a_screen_at_the_beginning_of_a_turn():
    table = Table(
        ["Ac 2c 9s 9d Td * 7h", None, "3c 3d"],
        "1: Ad Ah * | 0: 5d 5h * * | 1: Qs *=Ks As 2s | 0: 7c 7d 7s",
        "9s 5d * 2c",
        known=["9d", "", "3c"],
        dealer=1,
        laid=[55, 65],
        moves=40,
    )
    assert screen(table, 0) == [
        "Kunken · 4 jokers · stock 5 · bank 4 · move 40 of 2000",
        "bank, top last: 9♠ 5♦ * 2♣",
        "> player_0 (opened): 7 in hand: A♣ 2♣ 9♦ 10♦ 7♥ 9♠ * · laid 55",
        "    meld 1: 5♦ 5♥ *=5 *=5 · meld 3: 7♣ 7♦ 7♠",
        "  player_1 (dealer, opened): 13 in hand: ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ · laid 65",
        "    meld 0: A♦ A♥ *=A · meld 2: Q♠ *=K♠ A♠ 2♠",
        "  player_2: 2 in hand: 3♣ ▒▒ · laid 0",
        "player_0 draws a card, or takes the bank from a card on that makes a combination with two in hand.",
        "    Before that jokers may be swapped.",
    ]


def test_a_screen_in_the_middle_of_an_opening():
    table = Table([KINGS, "Ac Ad"], bank="9s 5d 2c Ah").play("take 5d", "put 3d", "put 4d")
    assert screen(table)[1:] == [
        "bank, top last: 9♠",
        "> player_0 (dealer): 14 in hand: 2♣ 5♦ A♥ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ · laid 10",
        "    taken along, not to be used yet: 2♣ A♥",
        "    meld 0: 3♦ 4♦ (half-built)",
        "  player_1: 2 in hand: ▒▒ ▒▒ · laid 0",
        "player_0 puts cards onto meld 0. Still needed to open: 40 points and a combination with 5♦.",
    ]


def test_a_screen_at_the_end_shows_scores_and_asks_nothing():
    table = Table(["Qs * 8c", "3c Kd *"], "0: 5d 5h * *", "As").play("take As").lay("Qs *=Ks As").play("discard 8c")
    assert screen(table, reveal=True)[1:] == [
        "bank, top last: 8♣",
        "  player_0 (dealer, opened): nothing in hand · score +50 (50 laid)",
        "    meld 0: 5♦ 5♥ *=5 *=5 · meld 1: Q♠ *=K♠ A♠",
        "  player_1: 3 in hand: 3♣ K♦ * · score -25 (0 laid - 25 in hand)",
        "player_0 has discarded the last card and won. Each gets its score less the mean of all, which is",
        "    +12.5.",
    ]


def test_the_end_tells_of_a_hand_only_to_those_who_see_it():
    table = Table(["Qs * 8c", "3c Kd *", "7d"], "0: 5d 5h * *", "As", known=["", "", "7d"]).play("take As").lay("Qs *=Ks As")
    hands = [line for line in screen(table.play("discard 8c"), 0) if " in hand" in line]
    assert hands[1:] == ["  player_1: 3 in hand: ▒▒ ▒▒ ▒▒ · laid 0", "  player_2: 1 in hand: 7♦ · score -5 (0 laid - 5 in hand)"]
    assert last_words(table) == "player_0 has discarded the last card and won. Each gets its score less the mean of all."


def test_an_express_counts_double():
    table = Table(["Kc Kd Kh 8c", "3c Kd", "7s"], "1: 3d 3h 3s", "Ks", opening_points=40, known=["", "3c Kd", "7s"], reward="score")
    table.play("take Ks").lay("Kc Kd Kh Ks").play("discard 8c")
    assert [line.partition(BETWEEN)[2] for line in screen(table) if HAND.match(line)] == [
        "score +80 (2 × 40 laid)",
        "score -15 (15 laid - 2 × 15 in hand)",
        "score -10 (0 laid - 2 × 5 in hand)",
    ]
    assert table.scores == [80, -15, -10]
    assert last_words(table) == (
        "player_0 has won by an express, everything laid out in one turn: its points count double, "
        "and so does what the others have in hand. Each gets its score."
    )


# ------------------------------------------------------------------------------------------------------------------- its parts


@pytest.mark.parametrize(
    ("cards", "shown"),
    [
        ("Kd Ad 2d", "K♦ A♦ 2♦"),
        ("Js Qs *=Ks As 2s *=3s", "J♠ Q♠ *=K♠ A♠ 2♠ *=3♠"),
        ("8h *=9h *=Th Jh", "8♥ *=9♥ *=10♥ J♥"),
        ("*=Tc Jc Qc", "*=10♣ J♣ Q♣"),
        ("5c 6c 7c 8c 9c Tc Jc Qc Kc Ac 2c 3c 4c", "5♣ 6♣ 7♣ 8♣ 9♣ 10♣ J♣ Q♣ K♣ A♣ 2♣ 3♣ 4♣"),
        ("7s 7c 7h", "7♣ 7♥ 7♠"),
        ("Ts Td *", "10♦ 10♠ *=10"),
        ("5d 5h * *", "5♦ 5♥ *=5 *=5"),
    ],
)
def test_a_combination_with_what_its_jokers_stand_for(cards, shown):
    assert f"    meld 0: {shown}" in screen(Table(table=f"0: {cards}"))


STARTED = "player_0 draws a card, or takes the bank from a card on that makes a combination with two in hand."
LAYING = f"player_0 lays out and adds to combinations as it likes, then discards a card. {ORDER}"
SWAPPING = f"player_0 lays out, adds to combinations and swaps jokers as it likes, then discards a card. {ORDER}"
ACES = "1: Ad Ah *"
OPENED = {"hands": "Ac 9s 9d 9h 2c 4h", "opened": [0]}
OPENING = {"hands": KINGS, "bank": "5d 2c"}
QUESTIONS = [
    ({}, "", "player_0 draws a card, or takes the bank from a card on with which it opens (50 points in all)."),
    (
        {"opening_points": 75, "turn": 1},
        "",
        "player_1 draws a card, or takes the bank from a card on with which it opens (75 points in all).",
    ),
    (OPENED, "", STARTED),
    ({**OPENED, "table": ACES}, "", f"{STARTED} Before that jokers may be swapped."),
    ({**OPENED, "table": "0: Ad Ah *"}, "", STARTED),
    ({**OPENED, "table": "0: Ad Ah *", "swap_own_jokers": True}, "", f"{STARTED} Before that jokers may be swapped."),
    ({"table": ACES}, "", "player_0 draws a card, or takes the bank from a card on with which it opens (50 points in all)."),
    (
        {**OPENED, "stock": ""},
        "",
        (
            "player_0 passes, which ends the deal, as the stock is empty, or takes the bank from a card on that makes a combination "
            "with two in hand."
        ),
    ),
    (
        {**OPENED, "stock": "", "stock_out": "recycle", "bank": "4c 6c"},
        "",
        (
            "player_0 draws a card (the bank, but for its top card, becomes the new stock), or takes the bank from a card on that "
            "makes a combination with two in hand."
        ),
    ),
    ({}, "draw", "player_0 has drawn and discards a card."),
    ({**OPENED, "lay_on_draw": "never"}, "draw", "player_0 has drawn and discards a card."),
    (
        {**OPENED, "table": ACES, "lay_on_draw": "never"},
        "draw",
        "player_0 has drawn and discards a card. Before that jokers may be swapped.",
    ),
    (
        {"lay_on_draw": "any"},
        "draw",
        f"player_0 has drawn and discards a card, or opens (50 points in all, from hand). {ORDER}",
    ),
    (OPENED, "draw", LAYING),
    ({**OPENED, "table": ACES}, "draw", SWAPPING),
    (OPENING, "take 5d", f"player_0 must open; still needed: 50 points and a combination with 5♦. {ORDER}"),
    (OPENING, "take 5d, put Kc", "player_0 puts cards onto meld 0. Still needed to open: 40 points and a combination with 5♦."),
    (
        OPENING,
        "take 5d, put Kc, put Kd, put Kh",
        "player_0 puts cards onto meld 0, or closes it. Still needed to open: 20 points and a combination with 5♦.",
    ),
    (
        OPENING,
        "take 5d, put 3d, put 4d, put 5d, put 6d",
        "player_0 puts cards onto meld 0, or closes it. Still needed to open: 30 points.",
    ),
    (OPENING, "take 5d, put 3d, put 4d, put 5d, put 6d, close", f"player_0 must open; still needed: 30 points. {ORDER}"),
    (
        OPENING,
        "take 5d, put 3d, put 4d, put 5d, put 6d, close, put Kc, put Kd, put Kh",
        "player_0 puts cards onto meld 1, or closes it. That is enough to open.",
    ),
    (
        {"hands": "9s 9d 4h *", "bank": "* 9h", "opening_points": 0},
        "take *",
        f"player_0 must open; still needed: a combination with *. {ORDER}",
    ),
    (
        {**OPENED, "bank": "9c 3d"},
        "take 9c",
        f"player_0 must lay a combination of 9♣ and two cards or more that were in hand before. {ORDER}",
    ),
    ({"hands": "9s 9d 9h 2c 4h", "opened": [0], "bank": "9h 3d"}, "take 9h, put 9d", "player_0 puts cards onto meld 0. It must hold 9♥."),
    (
        {"hands": "9s 9d 2c 4h", "opened": [0], "bank": "9h 3d"},
        "take 9h, put 9d, put 9h, put 9s",
        "player_0 puts cards onto meld 0, or closes it.",
    ),
    (OPENED, "draw, put 9d", "player_0 puts cards onto meld 0."),
    ({**OPENED, "table": ACES}, "meld 0", "player_0 has chosen meld 0: swaps its jokers."),
    ({**OPENED, "table": ACES}, "meld 0, swap Ac", "player_0 has chosen meld 0: closes it."),
    ({**OPENED, "table": ACES}, "draw, meld 0", "player_0 has chosen meld 0: puts cards onto it, or swaps its jokers."),
    ({**OPENED, "table": "1: Ad Ah As"}, "draw, meld 0, put Ac", "player_0 has chosen meld 0: puts cards onto it, or closes it."),
    (
        {"hands": "7h * 8h 2c", "opened": [0], "table": "1: 3h *=4h *=5h 6h"},
        "draw, meld 0, put *=2h",
        "player_0 has chosen meld 0, now with too many jokers: puts cards onto it, or swaps its jokers.",
    ),
    (
        {"stock": ""},
        "pass",
        "The stock is empty, and player_0 has passed: nobody has won. Each gets its score less the mean of all.",
    ),
    ({"max_moves": 1}, "draw", "The deal is truncated: nobody has won. Each gets its score less the mean of all."),
    ({"max_moves": 1, "reward": "score"}, "draw", "The deal is truncated: nobody has won. Each gets its score."),
]


@pytest.mark.parametrize(("position", "actions", "asked"), QUESTIONS)
def test_the_question_says_what_may_be_done_and_what_the_duty_is(position, actions, asked):
    assert last_words(Table(**position).play(*filter(None, actions.split(", ")))) == asked


def test_a_deal_truncated_while_a_combination_is_built_shows_that_and_its_points():
    table = Table(OPENED["hands"], opened=[0], max_moves=2).play("draw", "put 9d")
    assert screen(table, 0)[2:4] == [
        "  player_0 (dealer, opened): 6 in hand: A♣ 2♣ 4♥ 9♥ 7♠ 9♠ · score -30 (5 laid - 35 in hand)",
        "    meld 0: 9♦ (half-built)",
    ]


def test_a_chosen_combination_is_marked_where_it_lies():
    table = Table(**OPENED, table=f"{ACES} | 0: 6c 7c 8c").play("draw", "meld 0")
    assert "    meld 0: A♦ A♥ *=A (chosen)" in screen(table)
    assert "    meld 1: 6♣ 7♣ 8♣" in screen(table)


@pytest.mark.parametrize(
    ("position", "headline"),
    [
        ({"jokers": 0}, "Kunken · no jokers · stock 5 · bank 1 · move 0 of 2000"),
        ({"jokers": 1, "max_moves": 9, "moves": 3}, "Kunken · 1 joker · stock 5 · bank 1 · move 3 of 9"),
        (
            {"is_recycled": True, "stock_out": "recycle", "bank": "4c *"},
            "Kunken · 4 jokers · stock 5 (the bank, shuffled) · bank 2 · move 0 of 2000",
        ),
    ],
)
def test_the_headline(position, headline):
    assert screen(Table(**position))[0] == headline


def test_an_empty_bank_says_so():
    assert screen(Table(KINGS, bank="5d").play("take 5d"))[1] == "bank: taken as a whole"


def test_a_large_bank_and_a_large_hand_take_more_lines():
    deck, drawn = " ".join(KUNKEN.card_names), " ".join(map(on_screen, KUNKEN.card_names))
    table = Table([f"{deck} 2c"], bank=f"{deck} Ks")
    assert max(map(len, screen(table, 0))) <= SCREEN_WIDTH
    lines = KUNKEN.text(table.state, 0, False).replace("\n    ", " ").splitlines()
    assert lines[1] == f"bank, top last: {drawn} K♠"
    assert lines[2] == f"> player_0 (dealer): 54 in hand: {drawn.replace('2♣', '2♣ 2♣')} · laid 0"


@pytest.mark.parametrize(
    ("position", "actions", "remark"),
    [
        ({}, "", ""),
        ({}, "draw", ""),
        ({"stock": ""}, "", "the stock is empty"),
        ({"stock": "", "stock_out": "recycle", "bank": "4c 6c"}, "", "the stock is empty"),
        (OPENING, "take 5d", ""),
        (OPENED, "draw", ""),
        (OPENED, "draw, put 9d, put 9h", "meld 0: 9♦ 9♥"),
        ({**OPENED, "table": f"1: 6c 7c 8c | {ACES}"}, "meld 1", "meld 1: A♦ A♥ *=A"),
        ({**OPENED, "table": f"1: 6c 7c 8c | {ACES}"}, "meld 1, swap Ac", "meld 1: A♣ A♦ A♥"),
    ],
)
def test_a_move_is_told_with_the_combination_that_it_is_about(position, actions, remark):
    assert KUNKEN.remark(Table(**position).play(*filter(None, actions.split(", "))).state) == remark


# ----------------------------------------------------------------------------------------------------------------- random play


def check_screen(state, viewer):
    """It has no line that is too long, and shows of other hands just the cards that all have seen."""
    lines = KUNKEN.text(state, viewer, False).splitlines()
    assert max(map(len, lines)) <= SCREEN_WIDTH
    hidden = [0 if seat == viewer else state["hand_size"][seat] - state["known"][seat].sum() for seat in range(state["players"])]
    assert "\n".join(lines).count(BACK) == sum(hidden)
    assert len([line for line in lines if HAND.match(line)]) == state["players"]
    assert BACK not in KUNKEN.text(state, viewer, True)


def positions(players, count, **options):
    """Records of random play, of each phase as many, and some of deals that have ended."""
    wanted, found = count // len(Phase), Counter()
    batch = contract.Setting(KUNKEN, players, options).batch(64, autoreset=False)
    states = []
    for _ in contract.play(batch, 400):
        for state in batch.states[::7]:
            kind = "end" if state["terminated"] or state["truncated"] else Phase(int(state["phase"]))
            if found[kind] < wanted:
                found[kind] += 1
                states.append(state.copy())
    assert set(found) == {*Phase, "end"}
    return np.array(states)


@pytest.mark.parametrize("players", [2, 5])
def test_every_phase_of_random_play_shows_what_may_be_seen_and_nothing_else(players):
    setting = contract.Setting(KUNKEN, players, {"opening_points": 20, "lay_on_draw": "any", "max_moves": 300})
    states = positions(players, 80, **setting.options)
    seats = np.arange(len(states)) % players
    for state, seat in zip(states, seats, strict=True):
        check_screen(state, int(seat))
        check_screen(state, None)
    contract.check_blind(lambda found, eyes: contract.texts(setting, found, eyes), KUNKEN, states, seats)


# ------------------------------------------------------------------------------------------------------------------------ play


@pytest.fixture(scope="module")
def deal():
    """A deal at the terminal: its record, and all that was shown, prompts included; the person lays out whatever can be laid out."""
    shown = []

    def read(prompt):
        moves = re.split(" {3}|\n", shown[-1])
        shown.append(prompt)
        laying = [number for number, move in enumerate(moves, 1) if move.split(" ")[1] in ("take", "put", "swap")]
        return str(laying[-1] if laying else len(moves))

    options = {"opening_points": 10, "max_moves": 400}
    record = play_deal(KUNKEN, players=2, opponents=["random"], seed=SEED, read=read, write=shown.append, options=options)
    return record, shown


def test_a_deal_at_the_terminal_is_played_to_its_end(deal):
    record, shown = deal
    told = re.findall(r"^  player_(\d) \((?:you|random)\): (.+?)(?: \(.+\))?$", "\n".join(shown), re.MULTILINE)[:-2]
    assert told == [(str(seat), move_text(KUNKEN, name)) for seat, name in record.actions]
    assert shown[-2:] == [
        f"  player_{seat} ({who}): {value:+g} points" for seat, who, value in zip((0, 1), ("you", "random"), record.returns, strict=True)
    ]
    assert any(move.startswith("put *=") for _, move in told)


def test_a_list_of_many_moves_has_a_line_for_each_kind_and_none_is_too_wide(deal):
    lists = [text.splitlines() for text in deal[1] if text.startswith("1 ")]
    assert max(map(len, lists)) > 2
    for lines in lists:
        assert max(map(len, lines)) <= SCREEN_WIDTH
        kinds = [{move.split(" ")[1] for move in line.split("   ")} for line in lines]
        assert len(lines) == 1 or all(len(kind) == 1 for kind in kinds), lines
