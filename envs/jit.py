"""Compilation by numba, with a disk cache that can never play old code.

numba's own cache notices an edit of the file in which the cached function stands, but not of the files of the functions that it calls:
after a change of a game's rules, a cached loop elsewhere would go on playing the old ones. So the cache lies in a folder whose name is a
hash of every source that can be compiled in: the engine's, and those in the folders of the function and of all that it calls. (A constant
is compiled in, too: it must stand in one of those folders.)
"""

import contextlib
import functools
import hashlib
import os
import re
import shutil
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeVar

import numba
import numpy as np
import platformdirs
from filelock import FileLock
from numba.core.dispatcher import Dispatcher

Compiled = TypeVar("Compiled", bound=Callable[..., Any])

ENGINE_FOLDER = Path(__file__).parent
STALE_AFTER_DAYS = 30
_SECONDS_PER_DAY = 86_400
_KEY_LENGTH = 16
_LOCK = "lock"


def compiled(function: Compiled) -> Compiled:
    """Compile a function of a game, an agent or the engine at its first call (`numba.njit`: no object mode, the GIL released).

    With `NUMBA_DISABLE_JIT=1` in the environment the function itself is returned, and the same source runs in Python.
    """
    compiled_function: Compiled = _compile(function)
    return compiled_function


def bind(template: Callable[..., Any], name: str, bindings: dict[str, Any]) -> Callable[..., Any]:
    """Compile a copy of a module-level function in which some global names mean other functions.

    A loop is thus written once and compiled for every game; unlike a closure, or a function passed as an argument, it is cached on disk.

    Args:
        template: a plain function, whose free names stand in its module or in `bindings`.
        name: makes the copy's name (and so its place in the cache) its own; the game's or the agent's name.
        bindings: what the names mean in this copy: functions, or constants of theirs.
    """
    copy = FunctionType(template.__code__, {**template.__globals__, **bindings}, template.__name__, template.__defaults__)
    copy.__qualname__ = f"{name}.{template.__qualname__}"
    copy.__module__ = template.__module__
    copy.__doc__ = template.__doc__
    return _compile(copy)


def direct(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """The machine code of a compiled function for arguments of these types, compiled now if need be.

    It saves numba's look at the types at every call, and so must be called with no others. A function that is not compiled is returned
    as it is.
    """
    if not isinstance(function, Dispatcher):
        return function
    code: Callable[..., Any] = function.compile(tuple(numba.typeof(argument) for argument in arguments))
    return code


def read_only(array: np.ndarray) -> np.ndarray:
    """A view that cannot be written; to numba another type than an array that can: a function given both compiles twice."""
    view = array.view()
    view.flags.writeable = False
    return view


def _compile(function: Any) -> Any:
    settings: Any = numba.config  # its attributes are made at run time
    if settings.DISABLE_JIT:
        return function
    before = settings.CACHE_DIR
    root = Path(before) / "penzoo" if before else platformdirs.user_cache_path("penzoo")
    cache = _cache_folder(root, _source_hash(function)) if Path(_source_file(function)).is_file() else None
    settings.CACHE_DIR = str(cache or "")
    try:  # numba chooses the place when it decorates: the setting is the user's again at once
        dispatcher = numba.njit(nogil=True, error_model="numpy", cache=cache is not None)(function)
    finally:
        settings.CACHE_DIR = before
    if cache is not None:
        _lock_saves(dispatcher, cache)
    return dispatcher


def _lock_saves(dispatcher: Any, folder: Path) -> None:
    """Let one process at a time add to the cache.

    numba reads a function's index, chooses the next free name for the code and writes both: of two processes that do so at once with
    code for different types, the later index would name the other's code.
    """
    file = dispatcher._cache._cache_file
    save = file.save

    def save_alone(key: Any, code: Any) -> None:
        with FileLock(folder / _LOCK):
            save(key, code)

    file.save = save_alone


def _source_file(function: Any) -> str:
    file: str = function.__code__.co_filename
    return file


def _source_hash(function: Any) -> str:
    """A hash of the sources of all that can be compiled into a function: the engine's, and those beside it and beside what it calls."""
    folders = {Path(_source_file(each)).parent for each in _reachable(function)}
    digest = hashlib.sha256(_folder_hash(ENGINE_FOLDER, "**/*.py").encode())
    for folder in sorted(folders):
        digest.update(_folder_hash(folder, "*.py").encode())
    return digest.hexdigest()[:_KEY_LENGTH]


def _reachable(function: Any) -> set[Any]:
    """The function and every compiled one that it calls, directly or not, by a global name or as a module's attribute."""
    found, left = set(), [function]
    while left:
        each = left.pop()
        if each in found:
            continue
        found.add(each)
        left += [value.py_func for value in _named_in(each) if isinstance(value, Dispatcher)]
    return found


def _named_in(function: Any) -> list[Any]:
    """What the names in a function may mean: globals, and attributes of modules, of modules in modules and so on."""
    names = function.__code__.co_names
    found = [function.__globals__[name] for name in names if name in function.__globals__]
    for value in found:  # grows
        if isinstance(value, ModuleType):
            attributes = [getattr(value, name) for name in names if hasattr(value, name)]
            found += [attribute for attribute in attributes if not any(attribute is each for each in found)]
    return found


@functools.cache
def _folder_hash(folder: Path, pattern: str) -> str:
    """A hash of the Python files of a folder, taken once: what is edited later is not what this process has imported."""
    digest = hashlib.sha256(str(folder).encode())
    for file in sorted(folder.glob(pattern)):
        if file.is_file():
            digest.update(f"\0{file}\0".encode() + file.read_bytes())
    return digest.hexdigest()


@functools.cache
def _cache_folder(root: Path, key: str) -> Path | None:
    """The folder of this key, made if need be; None (no disk cache) where none can be written."""
    folder = root / key
    try:
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    except OSError as error:
        warnings.warn(
            f"PenZoo compiles anew in every process, since {folder} cannot be written ({error.strerror}): "
            "set NUMBA_CACHE_DIR to a folder that can",
            stacklevel=2,
        )
        return None
    if is_new:
        _drop_stale(root)
    return folder


def _drop_stale(root: Path) -> None:
    """Remove PenZoo's cache folders that no process has used for a month."""
    oldest = time.time() - STALE_AFTER_DAYS * _SECONDS_PER_DAY
    for folder in root.iterdir():
        with contextlib.suppress(OSError):  # another process may be removing it
            if re.fullmatch(f"[0-9a-f]{{{_KEY_LENGTH}}}", folder.name) and folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)
