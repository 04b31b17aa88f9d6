"""Faults drawn by chance: mutation operators over the C++ sources, and the draw by a seed.

Usage: python tests/mutants/operators.py [--seed S] [--drop NAME ...] [--equal NAME REASON]

Writes tests/mutants/drawn.json anew: what was drawn before and still stands exactly once in its
file stays, the rest is drawn from the sources as they are. A fault is one mutated expression or a
statement that is left out. What only builds a message, a table or a declaration is not drawn.
A mutation that no input can tell from the source is no fault: --equal moves it to equal.json and
draws the next one instead. So is one that the compiler refuses, with the warnings of the project:
build/release must have been configured.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DRAWN = Path(__file__).with_name("drawn.json")
EQUAL = Path(__file__).with_name("equal.json")  # a Drawn and its "reason" each

# How many of each room. Left out: what writes messages and pages, main(), the benchmark, weights,
# and the kernels of env/lanes: they are compiled for other processors and share no symbol with the
# rest, so no switch either; what they do is planted by run.py.
QUOTAS = {"env": 26, "agents": 38, "training": 18, "bindings": 18}
LEFT_OUT = re.compile(
    r"env/lanes/kernel_|env/base/(assert|refuse|nearest)|_text[.]cpp$|_report[.]cpp$|/display[.]cpp$"
    r"|training/(main|benchmark)[.]cpp|agents/network/shipped[.]cpp|env/rules/toml_library[.]cpp"
)
# Of headers those that only the sources of one folder include: no test is built again for them.
SOURCES = ("*.cpp", "*_impl.h")
MESSAGE = re.compile(
    r"refuse|throw|fmt::|format\(|to_string|_text\(|text_of|ASSERT|what\(|\"|name_of|py::arg|\.def"
)
CONTEXT = 3  # lines that may be taken along until a text stands once


@dataclass(frozen=True)
class Drawn:
    """A fault of chance: in `file`, `before` + `old` + `after` stands once; `old` becomes `new`.

    A statement that is left out has an empty `new`.
    """

    name: str
    operator: str
    file: str
    before: str
    old: str
    new: str
    after: str


def masked(text: str) -> str:
    """The source with comments and literals of text blanked, every place where it was."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'',
        re.DOTALL,
    )
    return pattern.sub(lambda found: re.sub(r"[^\n]", "~", found.group()), text)


def closing(text: str, start: int) -> int:
    """Place of the bracket that closes the one at `start`."""
    depth = 0
    for place in range(start, len(text)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return -1


def without_constants(text: str) -> str:
    """A masked text without what the compiler computes: no switch can be read there."""
    for found in re.finditer(r"(?<!if )\bconstexpr\b", text):
        first = re.compile(r"[;{]").search(text, found.end())
        end = closing(text, first.start()) if first and first.group() == "{" else found.end()
        if end > 0:
            blank = re.sub(r"[^\n]", "~", text[found.end() : end])
            text = text[: found.end()] + blank + text[end:]
    return text


def expressions(text: str) -> Iterator[tuple[int, int]]:
    """Whole conditions, returned values and assigned values: (start, end) in a masked text."""
    for found in re.finditer(r"\b(?:if|while) \(", text):
        end = closing(text, found.end() - 1)
        if end > 0 and not re.search(r";| = |\{", text[found.end() : end]):
            yield found.end(), end
    for found in re.finditer(r"\breturn ([^;{}]+);| = ([^;{}=]+);", text):
        group = 1 if found.group(1) else 2
        line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        declares = r"\b(constexpr|static|using|namespace|template|operator|default|delete)\b"
        if not re.search(declares, line) and found.group(group) not in ("default", "delete", "0"):
            yield found.start(group), found.end(group)


# name, what is found in a masked expression, what it becomes.
OPERATORS: list[tuple[str, str, object]] = [
    ("boundary", r"(?<= )<=?(?= )", {"<": "<=", "<=": "<"}),
    ("boundary", r"(?<= )>=?(?= )", {">": ">=", ">=": ">"}),
    ("equality", r"(?<= )(?:==|!=)(?= )", {"==": "!=", "!=": "=="}),
    ("logic", r"(?<= )(?:&&|\|\|)(?= )", {"&&": "||", "||": "&&"}),
    ("arithmetic", r"(?<=[\w)\]] )[-+*/](?= )", {"+": "-", "-": "+", "*": "+", "/": "*"}),
    ("bits", r"(?<=[\w)\]] )(?:&|\||<<|>>)(?= )", {"&": "|", "|": "&", "<<": ">>", ">>": "<<"}),
    ("constant", r"(?<![\w.'])\d+(?![\w.'])", lambda text: str(int(text) + 1)),
    ("constant", r"\b(?:true|false)\b", {"true": "false", "false": "true"}),
    ("extreme", r"\bstd::(?:min|max)\b", {"std::min": "std::max", "std::max": "std::min"}),
    ("negation", r"!(?=[\w(])(?!=)", {"!": ""}),
]


def mutations(text: str, start: int, end: int) -> Iterator[tuple[str, str]]:
    """(operator, mutated expression) of everything that an operator finds in an expression."""
    part = text[start:end]
    for name, pattern, becomes in OPERATORS:
        for found in re.finditer(pattern, masked(part)):
            old = found.group()
            new = becomes(old) if callable(becomes) else becomes[old]  # type: ignore[index]
            yield name, part[: found.start()] + new + part[found.end() :]


STATEMENT = re.compile(
    r"(?<=[;{}]\n)( +)((?:\+\+|--)?[a-z_][\w.\->\[\]]*[^;{}=\n]*(?: [-+|&^]?= [^;{}\n]+)?);(?=\n)"
)
KEYWORDS = re.compile(
    r"^(return|break|continue|using|throw|case|default|delete|goto|static|const)\b"
)


def statements(text: str) -> Iterator[tuple[int, int]]:
    """Calls and changes on a line of their own: statements that may be left out."""
    for found in STATEMENT.finditer(text):
        words = found.group(2)
        call = re.match(r"^[\w.\->\[\]]+\(.*\)$", words)
        change = re.match(r"^(\+\+|--)|^[\w.\->\[\]]+ [-+|&^]?= ", words)
        follows = text[found.end() :].lstrip()
        if (call or change) and not KEYWORDS.match(words) and not follows.startswith("else"):
            yield found.start(2), found.end(2) + 1


def context(text: str, start: int, end: int) -> tuple[str, str] | None:
    """What must stand around a place so that the text is there once; None if it never is."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    for _ in range(CONTEXT + 1):
        if text.count(text[first:last]) == 1:
            return text[first:start], text[end:last]
        first = text.rfind("\n", 0, max(first - 1, 0)) + 1
    return None


def candidates(file: str) -> Iterator[Drawn]:
    """All faults that the operators make of a file."""
    source = (ROOT / file).read_text()
    blank = without_constants(masked(source))
    places = [(start, end, False) for start, end in expressions(blank)]
    places += [(start, end, True) for start, end in statements(blank)]
    for start, end, whole in places:
        around = context(source, start, end)
        line = source[source.rfind("\n", 0, start) + 1 : source.find("\n", end)]
        if around is None or MESSAGE.search(line):
            continue
        old = source[start:end]
        found = [("statement", "")] if whole else mutations(source, start, end)
        for operator, new in found:
            yield Drawn("", operator, file, around[0], old, new, around[1])


def stands_once(fault: Drawn) -> bool:
    path = ROOT / fault.file
    return path.exists() and path.read_text().count(fault.before + fault.old + fault.after) == 1


def overlap(one: Drawn, other: Drawn) -> bool:
    """Whether two faults touch one text: all are planted at once, behind a switch."""
    if one.file != other.file:
        return False
    text = (ROOT / one.file).read_text()
    spans = []
    for fault in (one, other):
        start = text.index(fault.before + fault.old + fault.after)
        spans.append((start, start + len(fault.before + fault.old + fault.after)))
    return spans[0][0] < spans[1][1] and spans[1][0] < spans[0][1]


def draw(
    seed: int, kept: list[Drawn], quotas: dict[str, int], equal: list[Drawn] | None = None
) -> list[Drawn]:
    """Faults by room, an operator first and then a place, so that no operator is rare.

    equal: mutations that are no faults.
    """
    chance = random.Random(seed)
    result, no_faults = list(kept), equal or []
    for room, quota in quotas.items():
        files = sorted(
            str(path.relative_to(ROOT))
            for pattern in SOURCES
            for path in (ROOT / room).rglob(pattern)
        )
        by_operator: dict[str, list[Drawn]] = {}
        for file in files:
            if LEFT_OUT.search(file):
                continue
            for fault in candidates(file):
                by_operator.setdefault(fault.operator, []).append(fault)
        here = sum(fault.file.startswith(room + "/") for fault in result)
        while here < quota:
            if not by_operator:
                raise ValueError(f"{room}: {quota} faults are wanted, the operators make {here}")
            operator = chance.choice(sorted(by_operator))
            left = by_operator[operator]
            fault = left.pop(chance.randrange(len(left)))
            if not left:
                del by_operator[operator]
            if any(overlap(fault, other) for other in result):
                continue
            if any(replace(other, name="") == fault for other in no_faults):
                continue
            stem = Path(fault.file).with_suffix("").as_posix().replace("/", "_")
            taken = {other.name for other in [*result, *no_faults]}
            number = next(n for n in range(1, 99) if f"{stem}_{fault.operator}_{n}" not in taken)
            result.append(Drawn(**{**asdict(fault), "name": f"{stem}_{fault.operator}_{number}"}))
            here += 1
    return result


def stored() -> list[Drawn]:
    """What was drawn, in the order of the draw."""
    return [Drawn(**fault) for fault in json.loads(DRAWN.read_text())] if DRAWN.exists() else []


def equal_ones() -> list[tuple[Drawn, str]]:
    """What was drawn and is no fault, with the reason."""
    found = json.loads(EQUAL.read_text()) if EQUAL.exists() else []
    return [(Drawn(**fault), reason) for fault in found if (reason := fault.pop("reason"))]


def compilers() -> list[dict[str, str]]:
    """Return what build/release compiles: "file", and "command" in "directory"."""
    build = ROOT / "build" / "release"
    found = subprocess.run(["ninja", "-C", str(build), "-t", "compdb"], capture_output=True,
                           text=True, check=False)  # fmt: skip
    if found.returncode != 0:
        sys.exit(f"{build}: not configured, ./run build does it: what is drawn has to compile")
    commands = json.loads(found.stdout[found.stdout.index("[") :])
    return [one for one in commands if one["file"].endswith((".cpp", ".cxx"))]


def refused(fault: Drawn, commands: list[dict[str, str]]) -> str:
    """Return what the compiler says against a source with the fault, "" if it takes it.

    Headers are taken: no command compiles them alone.
    """
    path = ROOT / fault.file
    lines = f'"{path}"'
    for one in commands:
        source = Path(one["file"])
        together = source.suffix == ".cxx" and source.exists() and lines in source.read_text()
        if source != path and not together:
            continue
        words = shlex.split(one["command"])
        words = [*words[: words.index("-o")], "-Werror", "-fsyntax-only", "-x", "c++", "-"]
        text = path.read_text().replace(
            fault.before + fault.old + fault.after, fault.before + fault.new + fault.after
        )
        asked = subprocess.run(words, cwd=one["directory"], input=text, capture_output=True,
                               text=True, check=False)  # fmt: skip
        return asked.stderr if asked.returncode else ""
    return ""


def draw_compiling(
    seed: int, kept: list[Drawn], equal: list[Drawn], refuses: Callable[[Drawn], str]
) -> list[Drawn]:
    """Draw until the compiler takes everything that is new."""
    out: list[Drawn] = []
    while True:
        faults = draw(seed, kept, QUOTAS, equal + out)
        wrong = [fault for fault in faults[len(kept) :] if refuses(fault)]
        if not wrong:
            return faults
        print(f"not compiled, others are drawn: {', '.join(fault.name for fault in wrong)}")
        kept = faults[: len(kept)] + [f for f in faults[len(kept) :] if f not in wrong]
        out += wrong


def write(path: Path, faults: list[dict[str, str]]) -> None:
    path.write_text(json.dumps(faults, indent=1, ensure_ascii=False) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description="Draw faults from the sources.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--drop", nargs="*", default=[], metavar="NAME", help="draw others instead")
    parser.add_argument("--equal", nargs=2, metavar=("NAME", "REASON"), default=[],
                        help="it is no fault")  # fmt: skip
    arguments = parser.parse_args()
    names = {fault.name for fault in stored()}
    equal = equal_ones()
    dropped = set(arguments.drop)
    for option, given in (("--drop", arguments.drop), ("--equal", arguments.equal[:1])):
        for name in given:
            if name not in names:
                parser.error(f"{option} {name}: no such fault, allowed: those of {DRAWN.name}")
    if arguments.equal:
        name, reason = arguments.equal
        equal += [(fault, reason) for fault in stored() if fault.name == name]
        dropped.add(name)
    kept = [fault for fault in stored() if stands_once(fault) and fault.name not in dropped]
    commands = compilers()
    faults = draw_compiling(
        arguments.seed, kept, [fault for fault, _ in equal], lambda one: refused(one, commands)
    )
    if arguments.equal:  # now that another one is there
        write(EQUAL, [{**asdict(fault), "reason": why} for fault, why in equal])
    write(DRAWN, [asdict(fault) for fault in faults])
    drawn = ", ".join(fault.name for fault in faults[len(kept) :])
    print(f"{len(kept)} kept, {len(faults) - len(kept)} drawn: {drawn}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
