"""A device that is none: PTX, as NVRTC makes it of the kernel, played by Python for each thread.

It knows the instructions that this kernel has, and names one that it does not know. For tests: what
the compiler made of the rules is looked at without a GPU, which it does not replace.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from typing import Any

from device.driver import THREADS_PER_BLOCK

INSTRUCTION = re.compile(r"(?:@(!?)(%p\d+) )?([a-z][\w.]*)\s*(.*);")
SPECIAL = {"%tid.x": "tid", "%ctaid.x": "ctaid", "%ntid.x": str(THREADS_PER_BLOCK)}
COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
# Values are whole numbers below 2^bits; {s} makes one signed. {0} is where the result goes.
RESULTS = {
    "mov": "{1}",
    "cvta.to.global": "{1}",
    "cvt.u64": "{1}",
    "cvt.u32": "{1}",
    "add": "{1} + {2}",
    "sub": "{1} - {2}",
    "neg": "-{1}",
    "not": "~{1}",
    "and": "{1} & {2}",
    "or": "{1} | {2}",
    "xor": "{1} ^ {2}",
    "shl": "{1} << {2}",
    "shr": "{1} >> {2}",
    "mul.lo": "{1} * {2}",
    "mad.lo": "{1} * {2} + {3}",
    "selp": "{1} if {3} else {2}",
    # of a b: the lowest {4} bits of a at bit {3} of b
    "bfi": "({2} & ~(((1 << {4}) - 1) << {3})) | (({1} & ((1 << {4}) - 1)) << {3})",
}


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def operand(text: str, bits: int, kind: str) -> str:
    """Return a register or number as Python."""
    if text in SPECIAL:
        return SPECIAL[text]
    if text.startswith("%"):
        return text[1:]
    if kind == "p":
        raise ValueError(f"the interpreter knows no predicate {text}")
    return str(int(text, 0) % (1 << bits))


def line_of(opcode: str, words: list[str], parameters: list[str]) -> str:
    """Return an instruction that is no jump as a line of Python."""
    *name, kind = opcode.split(".")
    bits = 1 if kind == "pred" else int(kind[1:])
    target, *rest = words
    to = target.strip("[]%")
    if name[0] == "ld":
        place = rest[0].strip("[]")
        if name[1] == "param":
            return f"{to} = parameters[{parameters.index(place)}]"
        register, _, offset = place.lstrip("%").partition("+")
        return f"{to} = load({register} + {offset or 0}, {bits // 8})"
    values = [operand(word, bits, kind) for word in rest]
    if name[0] == "st":
        return f"store({to}, {values[0]}, {bits // 8})"
    if name[0] == "setp":
        if kind[0] == "s" and name[1] not in ("eq", "ne"):
            values = [f"signed({value}, {bits})" for value in values]
        return f"{to} = {values[0]} {COMPARED[name[1]]} {values[1]}"
    if name[0] in ("max", "min") and kind[0] == "s":
        values = [f"signed({value}, {bits})" for value in values]
        return f"{to} = {name[0]}({values[0]}, {values[1]}) & {(1 << bits) - 1}"
    if name == ["mul", "wide"] and kind[0] == "u":
        return f"{to} = {values[0]} * {values[1]}"
    if name == ["mul", "hi"] and kind[0] == "u":
        return f"{to} = ({values[0]} * {values[1]}) >> {bits}"
    if ".".join(name) == "shr" and kind[0] == "s":
        raise ValueError(f"the interpreter knows no {opcode}")
    form = RESULTS.get(".".join(name))
    if form is None:
        raise ValueError(f"the interpreter knows no {opcode}")
    mask = 1 if kind == "pred" else (1 << (32 if name[-1] == "u32" else bits)) - 1
    return f"{to} = ({form.format(to, *values)}) & {mask}"


def compiled(ptx: str, entry: str) -> Callable[..., None]:
    """Return the kernel as a function (load, store, parameters, ctaid, tid) of one thread."""
    head, _, body = ptx.partition(f".visible .entry {entry}(")[2].partition("{")
    parameters = re.findall(r"\w+_param_\d+", head)
    blocks: list[list[str]] = [[]]  # each goes on with the next one
    labels: dict[str, int] = {}
    jumps: list[tuple[int, int, str]] = []  # block, line, label
    for raw in body.partition("\n}")[0].splitlines():
        text = raw.strip()
        if text.endswith(":"):
            blocks.append([])
            labels[text[:-1]] = len(blocks) - 1
        if not text or text.startswith((".", "//")) or text.endswith(":"):
            continue
        matched = INSTRUCTION.fullmatch(text)
        if matched is None:
            raise ValueError(f"the interpreter cannot read: {text}")
        negated, guard, opcode, rest = matched.groups()
        condition = f"if {'not ' if negated else ''}{guard[1:]}: " if guard else ""
        opcode = opcode.removesuffix(".uni")
        if opcode in ("bra", "ret"):
            jumps.append((len(blocks) - 1, len(blocks[-1]), rest))
            blocks[-1].append(f"{condition or 'if True: '}block = {{}}; continue")
            continue
        if guard:
            raise ValueError(f"the interpreter cannot guard: {text}")
        blocks[-1].append(line_of(opcode, rest.split(", "), parameters))
    for block, line, label in jumps:
        target = labels.get(label, len(blocks))  # ret: beyond the last one
        blocks[block][line] = blocks[block][line].format(target)
    source = ["def kernel(load, store, parameters, ctaid, tid):", " block = 0"]
    source.append(f" while block < {len(blocks)}:")
    for number, lines in enumerate(blocks):
        source.append(f"  if block == {number}:")
        source += [f"   {line}" for line in (*lines, f"block = {number + 1}")]
    names: dict[str, Any] = {"signed": signed}
    exec("\n".join(source), names)
    kernel: Callable[..., None] = names["kernel"]
    return kernel


class StandIn:
    """What `driver.Driver` calls of libcuda.so.1, with an interpreter instead of a device."""

    def __init__(self, devices: int = 1) -> None:
        self.devices = devices
        self.memory: dict[int, bytearray] = {}  # address >> 32 -> what lies there
        self.kernel: Callable[..., None] | None = None
        self._ptx = ""
        self._next = 1

    def load(self, address: int, size: int) -> int:
        start = address % 2**32
        found = self.memory[address >> 32][start : start + size]
        assert len(found) == size, "a read beyond an array"
        return int.from_bytes(found, "little")

    def store(self, address: int, value: int, size: int) -> None:
        start, there = address % 2**32, self.memory[address >> 32]
        assert start + size <= len(there), "a write beyond an array"
        there[start : start + size] = value.to_bytes(size, "little")

    def cuInit(self, flags: int) -> int:
        return 0

    def cuDeviceGetCount(self, count: Any) -> int:
        count._obj.value = self.devices
        return 0

    def cuDeviceGet(self, device: Any, number: int) -> int:
        return 0

    def cuDeviceGetName(self, text: Any, size: int, device: Any) -> int:
        text.value = b"interpreter"
        return 0

    def cuDevicePrimaryCtxRetain(self, context: Any, device: Any) -> int:
        return 0

    def cuDevicePrimaryCtxRelease_v2(self, device: Any) -> int:
        return 0

    def cuCtxSetCurrent(self, context: Any) -> int:
        return 0

    def cuCtxSynchronize(self) -> int:
        return 0

    def cuGetErrorString(self, code: int, text: Any) -> int:
        text._obj.value = b"not found"
        return 0

    def cuModuleLoadData(self, module: Any, ptx: bytes) -> int:
        self._ptx = ptx.decode()
        return 0

    def cuModuleGetFunction(self, function: Any, module: Any, name: bytes) -> int:
        if f".entry {name.decode()}(" not in self._ptx:
            return 500  # CUDA_ERROR_NOT_FOUND
        self.kernel = compiled(self._ptx, name.decode())
        return 0

    def cuMemAlloc_v2(self, place: Any, size: Any) -> int:
        place._obj.value = self._next << 32
        self.memory[self._next] = bytearray(size.value)
        self._next += 1
        return 0

    def cuMemFree_v2(self, place: Any) -> int:
        del self.memory[place.value >> 32]
        return 0

    def cuMemcpyHtoD_v2(self, place: Any, host: Any, size: Any) -> int:
        self.memory[place.value >> 32][:] = ctypes.string_at(host.value, size.value)
        return 0

    def cuMemcpyDtoH_v2(self, host: Any, place: Any, size: Any) -> int:
        ctypes.memmove(host.value, bytes(self.memory[place.value >> 32]), size.value)
        return 0

    def cuLaunchKernel(self, function: Any, *arguments: Any) -> int:
        blocks, _, _, threads, _, _, _, _, pointers, _ = arguments
        sizes = (ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint32)
        parameters = [
            ctypes.cast(pointers[i], ctypes.POINTER(size)).contents.value
            for i, size in enumerate(sizes)
        ]
        assert self.kernel is not None
        for block in range(blocks):
            for thread in range(threads):
                self.kernel(self.load, self.store, parameters, block, thread)
        return 0
