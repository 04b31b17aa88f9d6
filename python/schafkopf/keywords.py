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
    names = tuple(inspect.signature(function).parameters)

    @functools.wraps(function)
    def watched(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        for name in kwargs:
            if name not in names:
                _core.refuse_keyword(function.__name__, name, names)
        return function(*args, **kwargs)

    return watched
