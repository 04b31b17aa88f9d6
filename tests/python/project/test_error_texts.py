"""The package shows the words of an error and never takes them apart: what a program needs of an
error the engine gives as a value."""

import ast
from pathlib import Path

import pytest

import schafkopf

SOURCES = sorted(Path(schafkopf.__file__).parent.rglob("*.py"))
# Functions of patterns; those of a text are seen as attributes of it.
_PATTERNS = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")


def _names_of_errors(tree):
    return {
        node.name for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name
    }


def _is_text(node, errors):
    """str(error), repr(error), "{error}" or error.args."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        named = node.args and isinstance(node.args[0], ast.Name) and node.args[0].id in errors
        return node.func.id in ("str", "repr") and named
    if isinstance(node, ast.JoinedStr):
        parts = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
        return any(isinstance(part, ast.Name) and part.id in errors for part in parts)
    return isinstance(node, ast.Attribute) and (
        isinstance(node.value, ast.Name) and node.value.id in errors and node.attr == "args"
    )


def readings(source):
    """Lines in which the text of a caught error is looked into."""
    tree = ast.parse(source)
    errors = _names_of_errors(tree)
    texts = set()  # variables that hold such a text
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr):
            continue
        if node.value is not None and _is_text(node.value, errors):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            texts |= {target.id for target in targets if isinstance(target, ast.Name)}

    def text(node):
        node = node.value if isinstance(node, ast.NamedExpr) else node
        return _is_text(node, errors) or (isinstance(node, ast.Name) and node.id in texts)

    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Subscript):  # str(error).partition, text[3:]
            looked = text(node.value) or _is_text(node, errors)  # error.args, whatever comes
        elif isinstance(node, ast.Compare):  # "seat" in str(error)
            looked = any(text(side) for side in (node.left, *node.comparators))
        elif isinstance(node, ast.Call) and isinstance(
            node.func, ast.Attribute
        ):  # _NAME.match(text)
            looked = any(map(text, node.args)) and node.func.attr in _PATTERNS
        else:
            continue
        if looked:
            found.append(node.lineno)
    return found


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: file.name)
def test_no_file_of_the_package_reads_the_text_of_an_error(file):
    assert readings(file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "line",
    [
        "_NAME.match(str(error))",
        "re.sub('x', '', f'{error}')",
        "text = str(error); _NAME.match(text)",
        "text = str(error); text[3:]",
        "'seat' in str(error)",
        "str(error).startswith('text line')",
        "error.args[0]",
        "(words,) = error.args",
        "if (text := str(error)).startswith('x'): pass",
        "text: str = str(error); text[3:]",
    ],
)
def test_a_text_that_is_taken_apart_is_found(line):
    assert readings(f"try:\n  f()\nexcept ValueError as error:\n  {line}\n")


@pytest.mark.parametrize(
    "line", ["print(error)", "raise ValueError(f'{f}: {error}') from error", "g(error.strerror)"]
)
def test_a_text_that_is_shown_is_no_reading(line):
    assert not readings(f"try:\n  f()\nexcept ValueError as error:\n  {line}\n")
