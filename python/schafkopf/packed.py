"""Packed observations, 64 bytes a decision, expanded to rows of version 1."""

from __future__ import annotations

import sys
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schafkopf import _core

PACKED_LOSSES = _core.PACKED_LOSSES
packed_table = _core.packed_table
_SIZE = _core.observation_sections(1)["rules"].start


def expand_packed(rows: Any, dtype: str = "float32") -> Any:
    """Expand packed observations to rows of version 1 without their rule section.

    A tensor is expanded by torch and an array of JAX by JAX, on the device where it lies and in
    compiled functions too, another array by the engine; the values are the same. What a packed row
    does not hold: PACKED_LOSSES. A row has no rule features: those of an environment are
    env.rule_features[env.rule_index], as uint8 rows hold them; float32 rows have them times the
    `scale` of `rules` in observation_table().

    Args:
        rows: uint8 [B, 64], array or tensor, as VectorEnv(observation="packed") shows them.
        dtype: "float32", scaled for a network, or "uint8", counts to be multiplied by the `scale`
            of observation_table().

    Returns:
        [B, 544] of that type: the sections of observation_sections() before `rules`.

    Raises:
        ValueError: rows of another shape or type, or another dtype.
    """
    torch, jax = sys.modules.get("torch"), sys.modules.get("jax")
    if torch is not None and isinstance(rows, torch.Tensor):
        _check(rows, torch.uint8, dtype)
        eight = torch.arange(8, device=rows.device, dtype=torch.uint8)
        arange = partial(torch.arange, device=rows.device)
        join, as_array = torch.cat, partial(torch.as_tensor, device=rows.device)
    elif jax is not None and isinstance(rows, jax.Array):
        _check(rows, np.uint8, dtype)
        arange, join, as_array = jax.numpy.arange, jax.numpy.concatenate, jax.numpy.asarray
        eight = arange(8, dtype=np.uint8)
    else:
        return _core._expand_packed(rows, dtype)
    bits = ((rows[:, :, None] >> eight) & 1).reshape(len(rows), 8 * _core.PACKED_ROW_BYTES)
    counts = join(_sections(bits, arange, eight.dtype), 1)
    return counts * as_array(_scales()) if dtype == "float32" else counts


def _check(rows: Any, byte: Any, dtype: str) -> None:
    if rows.dtype != byte or rows.ndim != 2 or rows.shape[1] != _core.PACKED_ROW_BYTES:
        raise ValueError(
            f"rows: {rows.dtype} {list(rows.shape)}, allowed: uint8 [B, {_core.PACKED_ROW_BYTES}]"
        )
    if dtype not in ("uint8", "float32"):
        raise ValueError(f'dtype = "{dtype}", allowed: uint8, float32')


def expand_packed_numpy(rows: NDArray[np.uint8], dtype: str = "float32") -> NDArray[Any]:
    """As expand_packed, in NumPy alone: what another library that reads packed rows has to do.

    Raises:
        ValueError: rows of another shape or type, or another dtype.
    """
    if dtype not in ("uint8", "float32"):
        raise ValueError(f'dtype = "{dtype}", allowed: uint8, float32')
    rows = np.asarray(rows)
    if rows.dtype != np.uint8 or rows.shape[1:] != (_core.PACKED_ROW_BYTES,):
        raise ValueError(
            f"rows: {rows.dtype} {list(rows.shape)}, allowed: uint8 [B, {_core.PACKED_ROW_BYTES}]"
        )
    bits = np.unpackbits(rows, axis=1, bitorder="little")
    counts: NDArray[Any] = np.concatenate(_sections(bits, np.arange, np.uint8), 1)
    return counts * _scales() if dtype == "float32" else counts


def _sections(bits: Any, arange: Any, byte: Any) -> list[Any]:
    """Return the features of version 1 in order, of bits [B, 512], with the library's arange."""
    found: list[Any] = []
    at = 0
    for row in packed_table():
        found += _nothing(bits, row["first"] - at)
        stop = row["offset"] + row["count"] * row["width"]
        digits = bits[:, row["offset"] : stop].reshape(len(bits), row["count"], row["width"])
        numbers = (digits * 2 ** arange(row["width"], dtype=byte)).sum(2, dtype=byte)
        if row["places"]:
            places = arange(1, row["places"] + 1, dtype=byte)
            one_hot = (numbers[:, :, None] == places).reshape(
                len(bits), row["count"] * row["places"]
            )
            found.append(one_hot.view(byte))
        else:
            found.append(numbers)
        at = row["first"] + row["count"] * max(row["places"], 1)
    return found + _nothing(bits, _SIZE - at)


def _nothing(bits: Any, count: int) -> list[Any]:
    """Return columns of zeros for features that a packed row does not hold."""
    return [bits[:, :1] * 0] * count


@cache
def _scales() -> NDArray[np.float32]:
    """Return the scale of each feature, float32 [544]."""
    scales = np.ones(_SIZE, np.float32)
    for row in _core.observation_table(1)[:-1]:
        scales[row["offset"] : row["offset"] + row["length"]] = row["scale"]
    return scales
