"""The rights of a file as a user has them: whoever tests as root may read and write everything."""

import contextlib
import ctypes
import os
from collections.abc import Iterator

import pytest

# linux/capability.h: the form of both calls with two words, and what passes over rights of files
_FORM, _OVERRIDES = 0x20080522, 0b111 << 1  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER


@contextlib.contextmanager
def as_a_user() -> Iterator[None]:
    """Let the rights of files hold for this thread, also where it is root's."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "capset"):
        pytest.skip("root's rights cannot be laid down here")
    head = (ctypes.c_uint32 * 2)(_FORM, 0)
    before = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; twice
    assert libc.capget(head, before) == 0, os.strerror(ctypes.get_errno())
    fewer = (ctypes.c_uint32 * 6)(*before)
    fewer[0] &= ~_OVERRIDES
    assert libc.capset(head, fewer) == 0, os.strerror(ctypes.get_errno())
    try:
        yield
    finally:
        assert libc.capset(head, before) == 0, os.strerror(ctypes.get_errno())


@contextlib.contextmanager
def closed(path, mode: int = 0) -> Iterator[None]:
    """Take the rights of a file or folder away, as a user; they are given back."""
    before = path.stat().st_mode
    path.chmod(mode)
    try:
        with as_a_user():
            yield
    finally:
        path.chmod(before)
