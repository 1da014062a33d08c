"""Where the time goes."""

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Clock:
    """Seconds by name, of stretches that do not overlap: one that begins within another is taken off it.

    Attributes:
        seconds: by name, all that was spent so far.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._running: list[str] = []
        self._since = 0.0

    @contextmanager
    def time(self, name: str) -> Iterator[None]:
        """Count what happens within."""
        self.begin(name)
        try:
            yield
        finally:
            self.end()

    def begin(self, name: str) -> None:
        """Begin a stretch; `end` ends it."""
        self._book()
        self._running.append(name)

    def end(self) -> None:
        """End the stretch that began last, and go on with the one around it."""
        self._book()
        self._running.pop()

    def stop(self) -> None:
        """End all that runs."""
        self._book()
        self._running.clear()

    def _book(self) -> None:
        now = time.perf_counter()
        if self._running:
            name = self._running[-1]
            self.seconds[name] = self.seconds.get(name, 0.0) + now - self._since
        self._since = now

    def shares(self) -> dict[str, float]:
        """By name, of all that was counted; most first."""
        total = sum(self.seconds.values()) or 1.0
        return {name: spent / total for name, spent in sorted(self.seconds.items(), key=lambda item: -item[1])}
