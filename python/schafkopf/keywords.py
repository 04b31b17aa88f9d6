"""What callers slip in: keywords that a function does not have, classes instead of objects, numbers
that are no integers or out of range.

The functions of _core refuse such keywords themselves.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from schafkopf import _core

_P = ParamSpec("_P")
_R = TypeVar("_R")


def names_keywords(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorate a function: an unknown keyword names the nearest one and all that there are."""
    parameters = inspect.signature(function).parameters
    names = tuple(name for name in parameters if name != "self")
    return takes_keywords(lambda: names)(function)


def takes_keywords(
    names_of: Callable[[], tuple[str, ...]],
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """As `names_keywords`, with the names that a function takes as `**options` (asked when called).

    They are looked at first: of a misspelt keyword Python itself says only what is missing.
    """

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        title = function.__name__
        if title == "__init__":
            title = function.__qualname__.split(".")[-2]

        @functools.wraps(function)
        def watched(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            for name in kwargs:
                if name not in (names := names_of()):
                    _core.refuse_keyword(title, name, names)
            return function(*args, **kwargs)

        return watched

    return decorate


def agent_at(place: str, player: Any, threads: int = 1) -> _core.Agent:
    """Return the Agent of a player that stands at a place, "players[2]", which errors name.

    Args:
        threads: of a player by name, 0 = one per core.
    """
    if isinstance(player, _core.Agent):
        return player
    try:
        return _core.make_agent(player, threads)
    except ValueError as wrong:
        raise ValueError(f"{place}: {wrong}") from wrong


def player_name(place: str, player: Any) -> str:
    """Return the name that an object plays under. Raises ValueError: it is no player."""
    if not hasattr(player, "act"):
        agent_at(place, player)
    return str(getattr(player, "name", type(player).__name__))


def check_reset_options(options: object, known: Iterable[str] = ()) -> None:
    """Refuse options of reset that are no dict, and those that there are not.

    Raises:
        ValueError: says what came.
    """
    if options is not None and not isinstance(options, dict):
        raise ValueError(f"reset: {type(options).__name__} came as options, allowed: a dict, None")
    known = list(known)
    if unknown := sorted(set(options or {}) - set(known), key=str):
        allowed = ", ".join(known) or "none"
        raise ValueError(f"reset: unknown options {unknown}, allowed: {allowed}")


def check_progress(progress: object, takes: str = "two numbers") -> None:
    """Raise ValueError where what is to be told of progress is no function, before work begins."""
    check_called("progress", progress, takes)


def check_called(name: str, function: object, takes: str) -> None:
    """Raise ValueError where what is to be called while work goes on is no function."""
    if function is not None and not callable(function):
        raise ValueError(f"{name} = {function!r:.60}, allowed: a function of {takes}, None")


def check_ray(address: object) -> None:
    """Raise ValueError where what names a Ray cluster is no address, true or false."""
    if address is not None and not isinstance(address, (str, bool)):
        raise ValueError(
            f"ray = {address!r:.60}, allowed: the address of a Ray cluster, true, false"
        )


def refuse_class(name: str, value: object) -> None:
    """Raise ValueError where a class came instead of an object of it."""
    if isinstance(value, type):
        called = value.__name__
        raise ValueError(f"{name}: the class {called} came, allowed: an object of it, {called}()")


def array_of(name: str, tensor: Any) -> Any:
    """Return a tensor of torch as an array over the same memory.

    Raises:
        ValueError: NumPy cannot read it where it lies.
    """
    try:
        return tensor.numpy()
    except (RuntimeError, TypeError) as wrong:
        raise ValueError(
            f"{name}: {type(tensor).__name__} ({wrong}) came, allowed: an array or a tensor in the "
            "main memory"
        ) from wrong


def is_whole(value: Any, least: int, most: int) -> bool:
    """Return whether a value is an integer that is in range; of NumPy too."""
    is_integer = isinstance(value, (int, np.integer))
    is_integer = is_integer and not isinstance(value, (bool, np.timedelta64))
    return is_integer and bool(least <= value <= most)


def whole(name: str, value: Any, least: int, most: int) -> int:
    """Return an integer that is in range. Raises ValueError, which names it."""
    if not is_whole(value, least, most):
        raise ValueError(f"{name} = {value!r}, allowed: integer {least}..{most}")
    return int(value)


def flag(name: str, value: Any) -> bool:
    """Return a bool, of NumPy too. Raises ValueError, which names it."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} = {value!r:.60}, allowed: true, false")
    return bool(value)


def whole_or_none(name: str, value: Any, least: int, most: int) -> int | None:
    """As `whole`, of something that may be left open."""
    if value is not None and not is_whole(value, least, most):
        raise ValueError(f"{name} = {value!r}, allowed: integer {least}..{most}, None")
    return None if value is None else int(value)
