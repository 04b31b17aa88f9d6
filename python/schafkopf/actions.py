"""Actions by number and name (RULES D.1), legal ones as masks, and drawing among them.

>>> import schafkopf
>>> schafkopf.actions.action_name(schafkopf.actions.parse_action("EA"))
'CARD EA'
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from schafkopf import _core
from schafkopf._core import (
    ACTION_VERSION,
    NUM_ACTIONS,
    action_name,
    legal_mask,
    parse_action,
    phase_name,
)
from schafkopf.keywords import array_of, names_keywords

__all__ = [
    "ACTION_VERSION",
    "NUM_ACTIONS",
    "action_name",
    "legal_mask",
    "parse_action",
    "phase_name",
    "sample",
]


@names_keywords
def sample(
    logits: Any,
    legal: Any,
    rng: np.random.Generator | int | np.integer[Any],
    out: NDArray[np.int32] | None = None,
) -> NDArray[np.int32]:
    """Draw a legal action for each row with the probabilities softmax(logits).

    Args:
        logits: float32 [N, 128], an array (of JAX, too) or a tensor in the main memory; float64,
            float16 and the bfloat16 of autocast are copied. Those of illegal actions are not read.
        legal: alike, bits uint64 [N, 2], as VectorEnv.legal has them, or masks [N, 128] of bools or
            numbers from 0, 0 = illegal, as legal_mask, action_mask and the adapters give them.
            Cards are counted alike in both, and in what comes back.
        rng: a numpy.random.Generator, which gives one number for the call, or a seed 0..2^64-1; a
            seed gives the same actions again, and row i does not depend on the others.
        out: int32 [N], for the result.

    Returns:
        int32 [N], as VectorEnv.step takes it without a copy.

    Raises:
        ValueError: wrong shapes or dtypes, a row without an action to draw, a seed out of range.
    """
    if not hasattr(rng, "bit_generator") and not hasattr(rng, "__index__"):
        kind = type(rng)  # other packages have a Generator too
        name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
        raise ValueError(f"rng: {name} came, allowed: numpy.random.Generator, or a seed 0..2^64-1")
    if hasattr(logits, "detach"):
        # NumPy has no bfloat16
        logits = (logits.float() if logits.is_floating_point() else logits).detach()
        logits = array_of("logits", logits)
    if hasattr(legal, "detach"):
        legal = array_of("legal", legal.detach())
    logits, legal = _as_numpy(logits), _as_numpy(legal)
    shape: Any = getattr(legal, "shape", ())
    hides_some = np.ma.is_masked(legal)  # type: ignore[no-untyped-call]
    masks = len(shape) == 2 and shape[1] == NUM_ACTIONS
    if masks and not hides_some and legal.dtype.kind not in "cmMOSU":  # bfloat16 of JAX is a "V"
        if legal.dtype.kind in "fi" and not (right := legal >= 0).all():
            row, action = np.argwhere(~right)[0]
            raise ValueError(
                f"legal: {legal[row, action]} for action {action} in row {row}, allowed: bools or "
                "numbers from 0, 0 = illegal"
            )
        bits = np.packbits(legal != 0, axis=1, bitorder="little")
        legal = np.ascontiguousarray(bits).view(np.uint64)
    return _core.sample(logits, legal, rng, out)


def _as_numpy(given: Any) -> Any:
    """Return an array of another library, as JAX's, as one of NumPy; everything else as it is."""
    if isinstance(given, (np.ndarray, np.generic)) or not hasattr(given, "__array__"):
        return given
    return np.asarray(given)
