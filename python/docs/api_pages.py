"""The reference of the Python package, one page per public module, read from its source.

Nothing is imported: modules are parsed, and `_core.pyi` stands for the compiled module, so that an
adapter gets its page where its project is not installed, and a new module its page by itself.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

# The command line and what draws the table in terminal and browser are no library.
NOT_LIBRARY = {"cli", "commands", "terminal", "serve", "__main__"}
SECTION = re.compile(
    r"^(Args|Parameters|Returns|Raises|Yields|Attributes|Example|Examples|Note):(.*)$"
)
ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*):\s+(.*)$")
FIELDS = {"Args": "param", "Parameters": "param", "Attributes": "ivar", "Raises": "raises"}


def escaped(text: str) -> str:
    """Return plain text as reStructuredText; what stands in backticks stays as it is."""
    parts = re.split(r"(`[^`]*`)", text)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"([*|\\])", r"\\\1", parts[i])
        parts[i] = re.sub(r"_(?=\W|$)", r"\\_", parts[i]).replace("`", r"\`")
    return "".join(parts)


def entries(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield (name, text) of the entries of a section; the first may have no name."""
    base = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    name, text = "", ""
    for line in lines:
        match = ENTRY.match(line[base:])
        if match:
            if name or text:
                yield name, text
            name, text = match[1], match[2]
        else:
            text = f"{text} {line.strip()}".strip()
    if name or text:
        yield name, text


def section_fields(head: str, lines: list[str]) -> list[str]:
    """Return a section of a docstring as fields."""
    if head in ("Returns", "Yields"):
        text = " ".join(line.strip() for line in lines)
        return [f":{head.lower()}: {escaped(text)}"]
    if head not in FIELDS:
        return ["", *textwrap.dedent("\n".join(lines)).splitlines()]
    out = []
    for name, text in entries(lines):
        if not name:
            out.append(f":{head}: {escaped(text)}")
        for one in name.replace("*", r"\*").split(", ") if name else ():
            out.append(f":{FIELDS[head]} {one}: {escaped(text)}")
    return out


def sections(doc: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the parts of a docstring: its head ("" for the text before) and its lines."""
    head = ""
    lines: list[str] = []
    for line in doc.splitlines():
        match = SECTION.match(line)
        if match:
            yield head, lines
            head = match[1]
            # "Args:    name: text" indents the lines below as far as the first name.
            lines = [" " * match.start(2) + match[2]] if match[2].strip() else []
        elif head and line and not line.startswith(" "):
            yield head, lines
            head, lines = "", [line]
        else:
            lines.append(line)
    yield head, lines


def paragraphs(lines: list[str]) -> list[str]:
    """Return text outside sections; lines of a session at the prompt stay as they are."""
    out, session = [], False
    for line in lines:
        session = line.lstrip().startswith(">>>") or (session and bool(line.strip()))
        out.append(line if session else escaped(line.strip()) if line[:1] != " " else escaped(line))
    return out


def body(doc: str) -> str:
    """Return a docstring as reStructuredText."""
    out: list[str] = []
    for head, lines in sections(doc):
        if head:
            out += ["", *section_fields(head, [line for line in lines if line.strip()])]
        else:
            out += ["", *paragraphs(lines)]
    return "\n".join(out).strip()


def signature(node: ast.FunctionDef | ast.AsyncFunctionDef, bound: bool) -> str:
    """Return "(arguments) -> result"; methods without self. Integers of NumPy go without saying."""
    arguments = ast.parse(ast.unparse(node.args).join(("def f(", "): ..."))).body[0]
    assert isinstance(arguments, ast.FunctionDef)
    if bound and (arguments.args.posonlyargs or arguments.args.args):
        (arguments.args.posonlyargs or arguments.args.args).pop(0)
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return re.sub(r"\b_Int\b", "int", f"({ast.unparse(arguments.args)}){result}")


def decorators(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    return {ast.unparse(one).split("(")[0].split(".")[-1] for one in node.decorator_list}


def directive(kind: str, name: str, options: list[str], text: str) -> str:
    inside = textwrap.indent("\n".join([*options, "", text]), "   ")
    return f".. py:{kind}:: {name}\n{inside}\n"


def class_page(name: str, node: ast.ClassDef, compiled: ast.ClassDef | None = None) -> str:
    """Return the directive of a class with its public methods, properties and fields.

    What the compiled class below it has, which is on no page of its own, stands here too.
    """
    members, init = [], ""
    seen: set[str] = set()
    own = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
    below = compiled.body if compiled else []
    for item in [*node.body, *(item for item in below if getattr(item, "name", "") not in own)]:
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if item.name == "__init__":
                init = init or signature(item, True).removesuffix(" -> None")
            if item.name.startswith("_") or "setter" in decorators(item):
                continue
            first = item.name not in seen
            seen.add(item.name)
            members.append(member(item, first))
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            if not item.target.id.startswith("_"):
                options = [f":type: {ast.unparse(item.annotation)}"]
                members.append(directive("attribute", item.target.id, options, ""))
    text = body(ast.get_docstring(node) or "")
    bases = [ast.unparse(base) for base in node.bases if ast.unparse(base) != "object"]
    if bases:
        text = f"Bases: {', '.join(f'``{base}``' for base in bases)}\n\n{text}"
    kind = "exception" if any(base.endswith(("Error", "Exception")) for base in bases) else "class"
    return directive(kind, name + init, [], "\n\n".join([text, *members]))


def member(node: ast.FunctionDef | ast.AsyncFunctionDef, first: bool) -> str:
    """Return the directive of a method or property; the second of two overloads has no anchor."""
    marks = decorators(node)
    text = body(ast.get_docstring(node) or "")
    again = [] if first else [":no-index:"]
    if marks & {"property", "cached_property"}:
        options = [f":type: {ast.unparse(node.returns)}"] if node.returns else []
        return directive("property", node.name, options + again, text)
    static = "staticmethod" in marks
    options = [f":{mark}:" for mark in ("classmethod", "staticmethod") if mark in marks]
    return directive("method", node.name + signature(node, not static), options + again, text)


def definitions(tree: ast.Module) -> dict[str, list[ast.stmt]]:
    """Return name -> its definitions at the top of a module, overloads in their order."""
    found: dict[str, list[ast.stmt]] = {}
    open_nodes: list[ast.stmt] = list(tree.body)
    while open_nodes:
        node = open_nodes.pop(0)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.setdefault(node.target.id, []).append(node)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node)
        elif isinstance(node, (ast.If, ast.Try)):
            open_nodes[:0] = node.body
    return found


def described(name: str, nodes: list[ast.stmt], compiled: ast.ClassDef | None = None) -> str:
    """Return the directives of one public name."""
    out = []
    for i, node in enumerate(nodes):
        if isinstance(node, ast.ClassDef):
            return class_page(name, node, compiled)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            again = [":no-index:"] if i else []
            text = body(ast.get_docstring(node) or "")
            out.append(directive("function", name + signature(node, False), again, text))
        elif isinstance(node, ast.AnnAssign):
            options = [f":type: {ast.unparse(node.annotation)}"]
            out.append(directive("data", name, options, ""))
        else:
            out.append(directive("data", name, [], ""))
    return "\n".join(out)


class Package:
    """The modules of the package by name, parsed once."""

    def __init__(self, folder: Path) -> None:
        self.trees: dict[str, ast.Module] = {}
        for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.pyi")]):
            parts = path.relative_to(folder).with_suffix("").parts
            name = ".".join([folder.name, *(part for part in parts if part != "__init__")])
            self.trees[name] = ast.parse(path.read_text(encoding="utf-8"))

    def public_modules(self) -> list[str]:
        """Return the modules of the library that have something of their own to show."""
        names = [name for name in self.trees if not set(name.split(".")[1:]) & NOT_LIBRARY]
        names = [name for name in names if not name.split(".")[-1].startswith("_")]
        return [name for name in names if self.public_names(name)]

    def exported(self, module: str) -> list[str] | None:
        """Return what __all__ of a module lists, None without one."""
        for node in definitions(self.trees[module]).get("__all__", []):
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value:
                return [str(name) for name in ast.literal_eval(node.value)]
        return None

    def sources(self, module: str) -> dict[str, str]:
        """Return name -> module of what a module imports from others of the package."""
        found: dict[str, str] = {}
        for node in ast.walk(self.trees[module]):
            if isinstance(node, ast.ImportFrom) and (node.module or "") in self.trees:
                found |= {alias.asname or alias.name: str(node.module) for alias in node.names}
        return found

    def public_names(self, module: str) -> list[str]:
        """Return what the page of a module describes, those shown elsewhere left out."""
        listed = self.exported(module)
        shown = self.shown_above(module)
        if listed is not None:
            return [name for name in listed if name not in shown]
        own = definitions(self.trees[module])
        return [
            name for name, nodes in own.items()
            if not name.startswith("_") and name not in shown
            and isinstance(nodes[0], (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        ]  # fmt: skip

    def shown_above(self, module: str) -> set[str]:
        """Return what the packages around a module take out of it and list as theirs."""
        shown: set[str] = set()
        package = module
        while "." in package:
            package = package.rpartition(".")[0]
            home = self.sources(package)
            listed = self.exported(package) or []
            shown |= {name for name in listed if home.get(name) == module}
        return shown

    def found(self, module: str, name: str) -> tuple[str, list[ast.stmt]]:
        """Return where a name is defined, and how."""
        home = module
        while name not in definitions(self.trees[home]):
            home = self.sources(home)[name]
        return home, definitions(self.trees[home])[name]

    def compiled_base(self, nodes: list[ast.stmt]) -> ast.ClassDef | None:
        """Return the class of `_core` that a class of Python stands on, if it does."""
        bases = nodes[0].bases if isinstance(nodes[0], ast.ClassDef) else []
        for base in (ast.unparse(base) for base in bases):
            if base.startswith("_core."):
                below = definitions(self.trees["schafkopf._core"])[base.removeprefix("_core.")][0]
                return below if isinstance(below, ast.ClassDef) else None
        return None

    def foreign_names(self) -> set[str]:
        """Return the names that modules import from other projects, and their type aliases."""
        found: set[str] = set()
        for tree in self.trees.values():
            for node in ast.walk(tree):
                foreign = isinstance(node, ast.ImportFrom) and node.module not in self.trees
                if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and foreign):
                    found |= {alias.asname or alias.name for alias in node.names}
            for name, nodes in definitions(tree).items():
                if isinstance(nodes[0], (ast.Assign, ast.AnnAssign)):
                    found.add(name)
        return found

    def page(self, module: str) -> str:
        """Return the page of a module."""
        doc = ast.get_docstring(self.trees[module]) or ""
        parts = [f"{module}\n{'=' * len(module)}", f".. py:module:: {module}", body(doc)]
        names = self.public_names(module)
        above = [name for name in self.exported(module) or [] if name in self.shown_above(module)]
        if above:
            links = (f":py:obj:`{name} <schafkopf.{name}>`" for name in above)
            parts.append(f"In ``schafkopf`` itself, and described there: {', '.join(links)}.")
        kinds: dict[str, list[str]] = {"Classes": [], "Functions": [], "Constants": []}
        for name in names:
            _, nodes = self.found(module, name)
            kind = "Classes" if isinstance(nodes[0], ast.ClassDef) else "Functions"
            kind = "Constants" if isinstance(nodes[0], (ast.Assign, ast.AnnAssign)) else kind
            kinds[kind].append(described(name, nodes, self.compiled_base(nodes)))
        for kind, texts in kinds.items():
            if texts:
                parts += [f"{kind}\n{'-' * len(kind)}", *texts]
        return "\n\n".join(parts) + "\n"
