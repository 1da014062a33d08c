"""The hand-written agents for Pengingan: what they choose in given positions, how strong and how blind they are.

As a script it prints their actions over some deals in this process' mode, compiled or not.
"""

import os
import subprocess
import sys

import contract
import numpy as np
import pytest
from contract import Setting
from pengingan_positions import PENGINGAN, RUN, Table

from penzoo.agents import HEURISTICS, make_agent
from penzoo.envs.batch import Batch
from penzoo.envs.pengingan.state import Phase
from penzoo.eval import evaluate

SEED = 4177
NAMES = tuple(HEURISTICS["pengingan"])
PLAYERS = range(2, 9)
SETTINGS = [setting for setting in contract.settings(PENGINGAN) if not setting.options or setting.players == 4]
ROWS = 60

every_heuristic = pytest.mark.parametrize("name", NAMES)
every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=str)
both = pytest.mark.parametrize("name", ["greedy", "careful"])


def choice(name: str, table: Table) -> str:
    """What an agent does in a position, in names."""
    return PENGINGAN.actions.name(int(make_agent(name, "pengingan").act(table.batch.observations, table.batch.masks)[0]))


def arranged(name: str, table: Table) -> str:
    """The melds of the player in turn after the use that an agent makes of a card."""
    table.play(choice(name, table))
    while table.phase == Phase.BUILD and not table.end:
        table.play(choice(name, table))
    return table.melds(table.turn)


# ------------------------------------------------------------------------------------------------------------------- uses

# the player's hand, melds and the card; the melds after the card has been used, or "pass"
USES = [
    ("6c 6d 2h 7s Jd 4c As", "Kc Kd Ks", "6h", "Kc Kd Ks | 6c 6d 6h", "greedy uses whatever it can"),
]


def test_greedy_uses_a_card_whenever_it_can():
    assert arranged("greedy", Table("6c 6d 2h 7s Jd 4c As", "Kc Kd Ks", "6h")) == "Kc Kd Ks | 6c 6d 6h"
