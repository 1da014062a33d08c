"""The games in the registries of PettingZoo and Gymnasium. Importing this compiles nothing, and does not even load the games."""

from collections.abc import Iterable

import gymnasium
import pettingzoo


def gymnasium_id(name: str, version: int | str) -> str:
    """A game's id in Gymnasium: `penzoo/Pen-v0`."""
    return f"penzoo/{name.capitalize()}-v{version}"


def register_gymnasium(modules: Iterable[str]) -> None:
    """Make games known to `gymnasium.make` and `gymnasium.make_vec`, each once.

    Args:
        modules: names and versions, as in `pen_v0`.
    """
    for module in modules:
        name, _, version = module.rpartition("_v")
        if gymnasium_id(name, version) not in gymnasium.registry:
            gymnasium.register(
                gymnasium_id(name, version),
                entry_point="penzoo.gym_entry:GymEnv",
                vector_entry_point="penzoo.gym_entry:GymVectorEnv",
                kwargs={"game": name},
            )


def register_pettingzoo(modules: Iterable[str]) -> None:
    """Make games known to `pettingzoo.make`, each once: `pettingzoo.make("aec", "penzoo/pen-v0")`.

    Before PettingZoo 1.27 there is no registry, and nothing happens: the modules are the way there.

    Args:
        modules: names and versions, as in `pen_v0`.
    """
    if not hasattr(pettingzoo, "register"):
        return
    for module in modules:
        name, _, version = module.rpartition("_v")
        environment = f"penzoo/{name}-v{version}"
        if environment not in pettingzoo.aec_registry:
            pettingzoo.register("aec", environment, entry_point=f"penzoo.{module}:env")
