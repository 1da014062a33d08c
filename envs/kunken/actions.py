"""The actions of Kunken, and their numbers in the order of the table."""

from penzoo.envs.cards import JOKER as JOKER_NAME
from penzoo.envs.kunken.state import CARDS, JOKER_COPIES, KINDS, MAX_DECK, MAX_JOKERS, MAX_MELDS, NUM_CARDS, NUM_KINDS
from penzoo.envs.tables import ActionGroup, ActionTable

DRAW, PASS, TAKE = range(3)
TAKE_JOKER = TAKE + JOKER_COPIES  # the copies in the order of `place` in the state
PUT = TAKE + MAX_DECK
PUT_JOKER = PUT + NUM_KINDS
MELD = PUT_JOKER + NUM_KINDS
SWAP = MELD + MAX_MELDS
CLOSE = SWAP + NUM_KINDS
DISCARD = CLOSE + 1
NUM_ACTIONS = DISCARD + NUM_CARDS

ACTIONS = ActionTable(
    (
        ActionGroup("draw", ("draw",), "draw the top card of the stock"),
        ActionGroup("pass", ("pass",), "end the deal: no card can be drawn"),
        ActionGroup("take", tuple(f"take {card}" for card in KINDS), "take the bank from the card on, its copy nearest the top"),
        ActionGroup("take_second", tuple(f"take {card} 2" for card in KINDS), "take the bank from the card on, its second copy"),
        ActionGroup(
            "take_joker",
            (f"take {JOKER_NAME}", *(f"take {JOKER_NAME} {copy}" for copy in range(2, MAX_JOKERS + 1))),
            "take the bank from a joker on: that nearest the top, the one below it, …",
        ),
        ActionGroup("put", tuple(f"put {card}" for card in KINDS), "put the card, onto the open combination or to begin one"),
        ActionGroup("put_joker", tuple(f"put {JOKER_NAME}={card}" for card in KINDS), "put a joker that stands for the card"),
        ActionGroup(
            "meld", tuple(f"meld {number}" for number in range(MAX_MELDS)), "choose a combination on the table, to add to or swap in"
        ),
        ActionGroup("swap", tuple(f"swap {card}" for card in KINDS), "put the card in place of a joker, and take that into the hand"),
        ActionGroup("close", ("close",), "close the open combination"),
        ActionGroup("discard", tuple(f"discard {card}" for card in CARDS), "discard from hand onto the bank, which ends the turn"),
    )
)
