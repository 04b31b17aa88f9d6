"""NVRTC, the compiler of CUDA that comes by pip, for the kernel of env/device: no GPU is needed.

`find()` says where it is, `compile_ptx()` gives the text that the driver of a device loads.
"""

from __future__ import annotations

import ctypes
import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KERNEL = "env/device/card_traces.cu"
ENTRY = "schafkopf_card_traces"
ARCHITECTURE = "compute_75"  # the oldest that CUDA 13 knows: drivers translate it for newer devices
OPTIONS = (
    "--std=c++20",
    f"--include-path={ROOT}",
    f"--include-path={ROOT / 'env/device/standard'}",  # NVRTC has no standard library
    "--device-as-default-execution-space",  # the rules bear no marks of CUDA
    "--device-int128",
    "--define-macro=__extension__=",  # of GCC: env/base/random.h
)


class CompileError(Exception):
    """What NVRTC says about the source."""


def find() -> Path | None:
    """Return the library of the pip package nvidia-cuda-nvrtc, None where it is not installed."""
    package = importlib.util.find_spec("nvidia")
    for folder in package.submodule_search_locations or () if package else ():
        for library in sorted(Path(folder).glob("*/lib/libnvrtc.so.*")):
            return library
    return None


class Nvrtc:
    """One compiler; raises OSError where the library cannot be loaded."""

    def __init__(self, library: Path) -> None:
        # it looks for its built-in functions by name, which is good once they are loaded
        for part in sorted(library.parent.glob("libnvrtc-builtins.so.*")):
            ctypes.CDLL(str(part), mode=ctypes.RTLD_GLOBAL)
        self._library = ctypes.CDLL(str(library))
        self._library.nvrtcGetErrorString.restype = ctypes.c_char_p

    def version(self) -> str:
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._call("Version", ctypes.byref(major), ctypes.byref(minor))
        return f"{major.value}.{minor.value}"

    def compile_ptx(self, source: str, name: str, architecture: str = ARCHITECTURE) -> str:
        program = ctypes.c_void_p()
        text = source.encode()
        self._call("CreateProgram", ctypes.byref(program), text, name.encode(), 0, None, None)
        try:
            words = [f"--gpu-architecture={architecture}", *OPTIONS]
            options = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
            try:
                self._call("CompileProgram", program, len(words), options)
            except CompileError as error:
                log = self._text("ProgramLog", program)
                raise CompileError(f"{error}\n{log}") from None
            return self._text("PTX", program)
        finally:
            self._call("DestroyProgram", ctypes.byref(program))

    def _text(self, what: str, program: ctypes.c_void_p) -> str:
        size = ctypes.c_size_t()
        self._call(f"Get{what}Size", program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        self._call(f"Get{what}", program, text)
        return text.value.decode()

    def _call(self, name: str, *arguments: object) -> None:
        code = getattr(self._library, f"nvrtc{name}")(*arguments)
        if code != 0:
            said = self._library.nvrtcGetErrorString(code).decode()
            raise CompileError(f"nvrtc{name}: {said}")


def kernel_ptx(compiler: Nvrtc, architecture: str = ARCHITECTURE) -> str:
    """Return the kernel of env/device as PTX. Raises CompileError with what the compiler says."""
    return compiler.compile_ptx((ROOT / KERNEL).read_text("utf-8"), KERNEL, architecture)
