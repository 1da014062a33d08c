"""PenZoo: a reinforcement-learning environment suite of three card games.

    from penzoo import pen_v0
    env = pen_v0.env(num_players=3)

The games: `pen_v0`, `pengingan_v0`, `kunken_v0`. Importing it also registers them: `pettingzoo.make("aec", "penzoo/pen-v0")` (PettingZoo
1.27 on) and `gymnasium.make("penzoo/Pen-v0")`.
"""

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penzoo.registration import register_gymnasium, register_pettingzoo

if TYPE_CHECKING:
    from penzoo.envs.aec import CheckedEnv

__version__ = "0.4.0"

# In a checkout the packages lie beside this folder, which Python started there finds before any installed copy.
_CHECKOUT = Path(__file__).parent.parent
if (_CHECKOUT / "pyproject.toml").is_file() and (_CHECKOUT / "envs" / "game.py").is_file():
    __path__.append(str(_CHECKOUT))

MODULES = ("pen_v0", "pengingan_v0", "kunken_v0")
"""The games with their versions, each a module of this package with `env` and `raw_env`."""


def make(name: str, **kwargs: Any) -> "CheckedEnv":
    """The PettingZoo environment of a game.

    Args:
        name: of the game (`pen`) or of its module (`pen_v0`).
        kwargs: as for the module's `env`.

    Raises:
        ValueError: there is no such game, or an argument is impossible.
    """
    found = [module for module in MODULES if name in (module, module.rpartition("_v")[0])]
    if not found:
        raise ValueError(f"game {name!r} does not exist: there are {', '.join(MODULES)}")
    return importlib.import_module(f"penzoo.{found[0]}").env(**kwargs)


register_pettingzoo(MODULES)
register_gymnasium(MODULES)
