"""The public names of the package: where they stand, what they are called, what help() says."""

import ast
import builtins
import importlib
import inspect
import operator
import re
import subprocess
import sys
import typing
from pathlib import Path

import pytest

import schafkopf
from schafkopf import _core, options
from schafkopf._former_names import FORMER

PACKAGE = Path(schafkopf.__file__).parent
NOT_LIBRARY = {"cli", "commands", "terminal", "serve", "__main__"}
SUBJECTS = [
    name
    for name in dir(schafkopf)
    if inspect.ismodule(getattr(schafkopf, name)) and hasattr(getattr(schafkopf, name), "__all__")
]


def test_the_short_list_is_what_is_offered():
    offered = set(dir(schafkopf))
    assert set(schafkopf.__all__) <= offered and len(schafkopf.__all__) <= 32
    assert {"cards", "rules", "datasets", "VectorEnv"} <= offered
    assert not offered & {"callable", "VIEW_DTYPE", "files", "extras", "_core"}
    beside = offered - set(schafkopf.__all__)
    assert [name for name in beside if not inspect.ismodule(getattr(schafkopf, name))] == []
    shown = schafkopf.__doc__
    assert [name for name in SUBJECTS if name not in shown] == []


@pytest.mark.parametrize("name", SUBJECTS)
def test_what_a_module_lists_is_there_once(name):
    module = getattr(schafkopf, name)
    assert len(set(module.__all__)) == len(module.__all__)
    assert all(hasattr(module, one) for one in module.__all__)
    for other in SUBJECTS:
        both = set(module.__all__) & set(getattr(schafkopf, other).__all__)
        assert other == name or not both, (name, other, both)


@pytest.mark.parametrize("name", sorted(FORMER))
def test_a_former_name_works_and_says_where_it_went(name):
    module, new_name = FORMER[name]
    message = rf"schafkopf\.{name} is schafkopf\.{module}\.{new_name} now"
    with pytest.warns(DeprecationWarning, match=message):
        found = getattr(schafkopf, name)
    assert found is getattr(getattr(schafkopf, module), new_name)
    assert name not in schafkopf.__all__


def test_a_name_that_is_elsewhere_is_hinted_at():
    hint = r"'play_deals'; there is schafkopf\.games\.play_deals$"
    with pytest.raises(AttributeError, match=hint):
        _ = schafkopf.play_deals
    with pytest.raises(AttributeError, match=r"there is schafkopf\.datasets\.write_dataset$"):
        _ = schafkopf.write_dataset
    with pytest.raises(AttributeError, match=r'the nearest one is "game_text"$'):
        _ = schafkopf.gme_text
    with pytest.raises(AttributeError, match=r"no attribute 'qqqqqqqqqqqq'$"):
        _ = schafkopf.qqqqqqqqqqqq


def test_names_of_modules_that_are_loaded_when_named_are_where_the_hints_say():
    for name, module in schafkopf._BESIDE.items():
        assert hasattr(importlib.import_module(f"schafkopf.{module}"), name)
        assert not hasattr(schafkopf, name)


def test_modules_come_when_they_are_named():
    code = (
        "import sys, schafkopf\n"
        "assert 'schafkopf.datasets' not in sys.modules\n"
        "print(schafkopf.datasets.__name__, schafkopf.cards.card_name(0))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={"PYTHONPATH": str(PACKAGE.parent)})  # fmt: skip
    assert done.stdout == "schafkopf.datasets E7\n", done.stderr


def public_definitions():
    """Yield (module, qualified name, node) of the functions and classes of the library, by text."""
    for path in sorted([*PACKAGE.rglob("*.py"), PACKAGE / "_core.pyi"]):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if set(parts) & NOT_LIBRARY:
            continue
        waiting = [("", node) for node in ast.parse(path.read_text(encoding="utf-8")).body]
        while waiting:
            owner, node = waiting.pop()
            if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or node.name.startswith("_"):
                continue
            name = f"{owner}{node.name}"
            yield path.name, name, node
            if isinstance(node, ast.ClassDef):
                waiting += [(f"{name}.", inner) for inner in node.body]


def shadowed_words():
    """Builtins that functions of modules and parameters may not be called."""
    return {name for name in dir(builtins) if name.islower() and not name.startswith("_")}


def test_no_function_and_no_parameter_shadows_a_builtin():
    words, found = shadowed_words(), []
    for file, name, node in public_definitions():
        if "." not in name and name in words:
            found.append((file, name))
        if isinstance(node, ast.FunctionDef):
            arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
            found += [(file, name, one.arg) for one in arguments if one.arg in words]
    assert found == []


def words_of(text):
    """Return how many words a docstring has, without the signatures that pybind11 puts there."""
    text = re.sub(r"^(?:\d+\. )?\w+\(.*\).*$", "", text or "", flags=re.MULTILINE)
    return len(text.replace("Overloaded function.", "").split())


def test_help_says_more_than_a_few_words_about_everything():
    poor = []
    for module_name in ["schafkopf", *(f"schafkopf.{name}" for name in SUBJECTS)]:
        module = importlib.import_module(module_name)
        assert words_of(module.__doc__) > 3, module_name
        for name in module.__all__:
            one = getattr(module, name)
            if not (inspect.isclass(one) or inspect.isroutine(one)):
                continue  # constants have no text of their own
            if words_of(one.__doc__) <= 3:
                poor.append(f"{module_name}.{name}")
            if inspect.isclass(one):
                poor += [f"{module_name}.{name}.{member}" for member in members_without_words(one)]
    assert poor == []


def members_without_words(one):
    """Yield the public members of a class of this package that help() says nothing about."""
    for owner in one.__mro__:
        if not owner.__module__.startswith("schafkopf"):
            continue
        for member, value in vars(owner).items():
            value = getattr(value, "__func__", value)
            is_field = isinstance(value, property) and isinstance(value.fget, operator.attrgetter)
            if member.startswith("_") or not (
                isinstance(value, property) or inspect.isroutine(value)
            ):
                continue
            if not is_field and words_of(getattr(value, "__doc__", None)) <= 3:
                yield member


def test_a_member_without_words_is_found():
    class Poor:
        @property
        def size(self):
            return 1

        def good(self):
            """Say in so many words what it does."""

    Poor.__module__ = "schafkopf.planted"
    assert list(members_without_words(Poor)) == ["size"]


def test_source_has_docstrings_where_nothing_was_imported():
    poor = [
        (file, name)
        for file, name, node in public_definitions()
        if file != "_core.pyi" and words_of(ast.get_docstring(node)) <= 2
    ]
    assert poor == []


def test_modules_that_are_loaded_when_named_are_known_to_checkers_of_types():
    source = Path(schafkopf.__file__).read_text(encoding="utf-8")
    known = set(re.findall(r"^    from schafkopf import (\w+) as \1$", source, re.MULTILINE))
    # adapters import the library, it never imports them (tests/layering.py)
    assert known == set(schafkopf._LOADED_WHEN_NAMED) - {"adapters"}


# Their hints name classes of modules that are not loaded before somebody asks: torch, pictures.
LOADED_WHEN_ASKED = {"load_torch", "new_torch", "picture"}
ADAPTERS = {
    "gymnasium": "gymnasium",
    "pettingzoo": "pettingzoo",
    "sb3": "stable_baselines3",
    "torchrl": "torchrl",
}  # fmt: skip; test_adapters_pgx.py has that to Pgx


def functions_of(module):
    """Yield the public functions and methods of a module that are written in Python."""
    own = [name for name, value in vars(module).items()
           if getattr(value, "__module__", "") == module.__name__ and name[0] != "_"]  # fmt: skip
    for name in {*getattr(module, "__all__", own)} - LOADED_WHEN_ASKED:
        value = getattr(module, name)
        if inspect.isfunction(value):
            yield value
        elif inspect.isclass(value):
            for inner, member in vars(value).items():
                member = getattr(member, "__func__", member)
                if inspect.isfunction(member) and (inner == "__init__" or inner[0] != "_"):
                    yield member


@pytest.mark.parametrize("name", [*SUBJECTS, *ADAPTERS])
def test_hints_are_types_for_programs_that_ask_for_them(name):
    if name in ADAPTERS:
        pytest.importorskip(ADAPTERS[name])
        name = f"adapters.{name}"
    for function in functions_of(importlib.import_module(f"schafkopf.{name}")):
        assert isinstance(typing.get_type_hints(function), dict), function


def test_hints_of_keywords_are_types():
    for keywords in (options.GameOptions, options.VectorEnvOptions):
        assert set(typing.get_type_hints(keywords)) == set(inspect.get_annotations(keywords))
    assert schafkopf.RuleSet in typing.get_args(typing.get_type_hints(options.GameOptions)["rules"])


def test_methods_that_tell_torch_of_changes_have_signatures():
    for name in ("advance", "step_random", "restart", "set_game", "restore"):
        assert "self" in inspect.signature(getattr(schafkopf.VectorEnv, name)).parameters


def compiled_functions():
    """Yield (name, function) of what can be called by name in _core, constructors too."""
    for name, value in vars(_core).items():
        if inspect.isbuiltin(value):
            yield name, value
        for member, inside in vars(value).items() if inspect.isclass(value) else ():
            kind = type(inside).__name__
            if kind in ("instancemethod", "staticmethod") and not member.startswith("_pybind11"):
                yield f"{name}.{member}", getattr(value, member)


def test_compiled_functions_have_a_signature_and_keep_their_text():
    functions = dict(compiled_functions())
    assert len(functions) > 200
    for name, function in functions.items():
        assert inspect.signature(function) is not None, name
        first = (function.__doc__ or "").split("\n")[0]
        for parameter in inspect.signature(function).parameters:
            assert parameter in first, name
    assert str(inspect.signature(_core.Game.apply)) == "(self, action)"
    assert _core.Game.apply.__doc__.startswith("apply(self: schafkopf._core.Game, action: ")
    assert str(inspect.signature(_core.Game("research", seed=1).apply)) == "(action)"
    settle = inspect.signature(_core.settle)
    assert settle.parameters["rules"].default == "research"
    assert settle.parameters["context"].default is None
    given = inspect.signature(_core.Contract).bind("RUF", 0, called="EA")
    assert _core.Contract(*given.args, **given.kwargs).called == "EA"
