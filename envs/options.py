"""Rule options: named, typed, checked in Python, and stored as fields of the state record; and the checks of other arguments."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

RENDER_MODES = ("ansi", "human")
RAISE, TERMINATE = "raise", "terminate"  # what an illegal action does


@dataclass(frozen=True)
class Option:
    """One option of the rules; the field of the same name in the state holds it as an integer.

    Exactly one of `choices` and `bounds` is given. A flag has the choices (False, True).
    """

    name: str
    default: Any
    meaning: str
    choices: tuple[Any, ...] = ()
    bounds: tuple[int, int] | None = None

    def encode(self, value: Any) -> int:
        """The integer in the record.

        Raises:
            ValueError: the value is not one of the option's.
        """
        if self.bounds is None:
            for code, choice in enumerate(self.choices):
                is_text = isinstance(choice, str) and type(value) is int  # a rank as 7, which YAML reads as a number
                if (str(value) if is_text else value) == choice and (is_text or type(value) is type(choice)):
                    return code
        elif isinstance(value, int) and not isinstance(value, bool) and self.bounds[0] <= value <= self.bounds[1]:
            return value
        raise ValueError(f"option {self.name}={value!r} is not possible: it takes {self.values()}")

    def decode(self, code: int) -> Any:
        """The value that an integer in the record stands for; undoes `encode`."""
        return int(code) if self.bounds is not None else self.choices[int(code)]

    def values(self) -> str:
        """What the option takes, in words."""
        if self.bounds is not None:
            return f"an int from {self.bounds[0]} to {self.bounds[1]}"
        return " or ".join(repr(choice) for choice in self.choices)


def flag(name: str, default: bool, meaning: str) -> Option:
    """An option that is on or off."""
    return Option(name, default, meaning, choices=(False, True))


def check_choice(name: str, value: Any, choices: Sequence[Any]) -> None:
    """ValueError, which names the argument, if it is none of the choices."""
    if value not in choices:
        raise ValueError(f"{name}={value!r} is not possible: it takes {', '.join(map(repr, choices[:-1]))} or {choices[-1]!r}")


def check_int(name: str, value: Any, least: int) -> None:
    """ValueError, which names the argument, if it is no int from `least` on."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name}={value!r} is not possible: it takes an int from {least} on")
