"""The few calls of the CUDA driver that load PTX and launch a kernel, by ctypes.

Not yet run on a device: tests/python/batch/test_device.py has it talk to a stand-in that
interprets the PTX (tests/device/interpreter.py).
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np

LIBRARY = "libcuda.so.1"
THREADS_PER_BLOCK = 128
NAME_LENGTH = 128


class NoDevice(Exception):
    """There is no driver, or it knows no device."""


class DriverError(Exception):
    """What the driver says about a call."""


class Driver:
    """The first device, and a context on it until `close`.

    library  what has the functions of the driver, default: libcuda.so.1
    """

    def __init__(self, library: Any = None) -> None:
        if library is None:
            try:
                library = ctypes.CDLL(LIBRARY)
            except OSError as error:
                raise NoDevice(f"no driver of a CUDA device ({error})") from None
        self._library = library
        try:
            self._call("Init", 0)
            number = ctypes.c_int()
            self._call("DeviceGetCount", ctypes.byref(number))
        except DriverError as error:
            raise NoDevice(f"the driver is there and finds no device ({error})") from None
        if number.value == 0:
            raise NoDevice("the driver is there and finds no device")
        self._device, self._context = ctypes.c_int(), ctypes.c_void_p()
        self._call("DeviceGet", ctypes.byref(self._device), 0)
        self._call("DevicePrimaryCtxRetain", ctypes.byref(self._context), self._device)
        self._call("CtxSetCurrent", self._context)

    def close(self) -> None:
        self._call("DevicePrimaryCtxRelease_v2", self._device)

    def name(self) -> str:
        text = ctypes.create_string_buffer(NAME_LENGTH)
        self._call("DeviceGetName", text, NAME_LENGTH, self._device)
        return text.value.decode()

    def load(self, ptx: str, entry: str) -> ctypes.c_void_p:
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self._call("ModuleLoadData", ctypes.byref(module), ptx.encode())
        self._call("ModuleGetFunction", ctypes.byref(function), module, entry.encode())
        return function

    def hashes(self, function: ctypes.c_void_p, starts: Any, keys: Any) -> Any:
        """Launch one thread for each game.

        Args:    starts: uint32 [n, 32], a PlayState each; keys: uint64 [n].
        Returns: uint64 [n].
        """
        hashes = np.zeros(len(keys), np.uint64)
        with contextlib.ExitStack() as stack:
            places = [stack.enter_context(self._copy(array)) for array in (starts, keys, hashes)]
            values = [*places, ctypes.c_uint32(len(keys))]
            pointers = [ctypes.cast(ctypes.pointer(value), ctypes.c_void_p) for value in values]
            parameters = (ctypes.c_void_p * len(pointers))(*pointers)
            shape = (-(-len(keys) // THREADS_PER_BLOCK), 1, 1, THREADS_PER_BLOCK, 1, 1)
            self._call("LaunchKernel", function, *shape, 0, None, parameters, None)
            self._call("CtxSynchronize")
            size = ctypes.c_size_t(hashes.nbytes)
            self._call("MemcpyDtoH_v2", ctypes.c_void_p(hashes.ctypes.data), places[2], size)
        return hashes

    @contextlib.contextmanager
    def _copy(self, array: Any) -> Iterator[ctypes.c_uint64]:
        array = np.ascontiguousarray(array)
        place, size = ctypes.c_uint64(), ctypes.c_size_t(array.nbytes)
        self._call("MemAlloc_v2", ctypes.byref(place), size)
        try:
            self._call("MemcpyHtoD_v2", place, ctypes.c_void_p(array.ctypes.data), size)
            yield place
        finally:
            self._call("MemFree_v2", place)

    def _call(self, name: str, *arguments: object) -> None:
        code = getattr(self._library, f"cu{name}")(*arguments)
        if code != 0:
            text = ctypes.c_char_p()
            self._library.cuGetErrorString(code, ctypes.byref(text))
            said = (text.value or b"no text").decode()
            raise DriverError(f"cu{name}: error {code}, {said}")
