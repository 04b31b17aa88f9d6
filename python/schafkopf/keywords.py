"""Keyword arguments that a function does not have: a TypeError that names the nearest one.

The functions of _core do so themselves.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from schafkopf import _core

_P = ParamSpec("_P")
_R = TypeVar("_R")


def names_keywords(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorate a function: an unknown keyword names the nearest one and all that there are."""
    title, parameters = function.__name__, inspect.signature(function).parameters
    if title == "__init__":
        title = function.__qualname__.split(".")[-2]
    names = tuple(name for name in parameters if name != "self")

    @functools.wraps(function)
    def watched(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        for name in kwargs:
            if name not in names:
                _core.refuse_keyword(title, name, names)
        return function(*args, **kwargs)

    return watched
