"""A bar on the error output."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(wished: bool, what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A function that is told how many more are done; it shows them in a bar if that is wished and the error output is a terminal."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress

    console = Console(stderr=True)
    if not (wished and console.is_terminal):
        yield lambda count: None
        return
    with Progress(*Progress.get_default_columns(), MofNCompleteColumn(), console=console, transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda count: bar.advance(task, count)
