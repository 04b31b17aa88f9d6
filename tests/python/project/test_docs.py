"""The documentation site: builds without warnings, its links lead on, its lines of Python run."""

import ast
import doctest
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import schafkopf

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "python" / "docs"
PAGES = sorted(DOCS.glob("*.md"))
BLOCKS = [
    pytest.param(page, block, id=f"{page.stem}-{i}")
    for page in PAGES
    for i, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.S))
]


def tool(name, folder=DOCS):
    """Return a module of python/docs, or of another folder, by itself."""
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built with warnings as errors."""
    for package in ("sphinx", "myst_parser", "furo"):  # ./run test installs them
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed: ./run docs installs it")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, DOCS / "build.py", folder],
        env=os.environ | {"PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


def test_site_builds_without_warnings_and_has_every_page(site):
    assert (site / "index.html").is_file()
    for page in [*tool("build").sources(), *PAGES]:
        place = page.relative_to(DOCS if page in PAGES else ROOT)
        assert (site / place.with_suffix(".html")).is_file(), place


# It wrote the sources of the site into a folder of that name.
@pytest.mark.parametrize("option", ["--help", "--chek"])
def test_the_program_of_the_site_takes_no_option_for_a_folder(tmp_path, option):
    done = subprocess.run(
        [sys.executable, DOCS / "build.py", option], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == (0 if option == "--help" else 2)
    assert "usage: build.py [-h] [FOLDER]" in done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []


def test_reference_has_every_public_name(site):
    page = (site / "api" / "schafkopf.html").read_text(encoding="utf-8")
    assert {name for name in schafkopf.__all__ if f'id="schafkopf.{name}"' not in page} == set()
    for kind in (one for one in vars(schafkopf).values() if isinstance(one, type)):
        own = {name for name in dir(kind) if name[0] != "_"} - {*dir(Exception)}
        assert {
            name for name in own if f'id="schafkopf.{kind.__name__}.{name}"' not in page
        } == set()
    assert (site / "api" / "schafkopf.adapters.gymnasium.html").is_file()


def test_integers_have_no_name_of_the_stub(site):
    page = (site / "api" / "schafkopf.html").read_text(encoding="utf-8")
    assert "_Int" not in page


def test_anchors_of_headings_stand_before_them(site):
    page = (site / "env" / "RULES.html").read_text(encoding="utf-8")
    assert page.count('id="A"') == page.count('id="A.1"') == 1
    build = tool("build")
    text = '# <a id="A"></a><a id="a"></a>Words\n\n`# <a id="B"></a>` is text\n'
    anchored = '<a id="A"></a><a id="a"></a>\n\n# Words\n\n`# <a id="B"></a>` is text\n'
    assert build.with_plain_headings(text) == anchored
    assert build.with_plain_headings('## <a id="two-words"></a>Two words') == "## Two words"


def test_layouts_name_every_section(site):
    page = (site / "observations.html").read_text(encoding="utf-8")
    versions = tool("pages").observation_versions()
    assert versions[:4] == [1, 2, 3, 4]
    for version in versions:
        assert f"Version {version}" in page
        for name in schafkopf.observation_sections(version):
            assert name in page, (version, name)


PAGE = '<html><body><a id="here"></a>{}</body></html>'


@pytest.mark.parametrize(
    "fault, said",
    [
        ('<a href="gone.html">x</a>', "gone.html: no such file"),
        ('<a href="#gone">x</a>', "#gone: no such anchor"),
        ('<a href="other.html#gone">x</a>', "other.html#gone: no such anchor"),
        ('<span class="xref myst">x</span>', "a link leads nowhere"),
        ('<script src="https://cdn.example/x.js"></script>', "is fetched from elsewhere"),
        ('<link rel="stylesheet" href="//cdn.example/x.css">', "is fetched from elsewhere"),
        ('<p id="here">x</p>', "here: an anchor that is there twice"),
        ('<a href="#here"><a id="inner"></a>x</a>', "a link inside of a link"),
    ],
)
def test_fault_of_a_page_is_found(fault, said, tmp_path):
    links = (
        '<a href="#here">x</a><a href="other.html#here">x</a><a href="https://example.org">x</a>'
    )
    (tmp_path / "other.html").write_text(PAGE.format(""))
    (tmp_path / "index.html").write_text(PAGE.format(links))
    site_links = tool("site_links")
    assert list(site_links.faults(tmp_path)) == []
    (tmp_path / "index.html").write_text(PAGE.format(links + fault))
    found = list(site_links.faults(tmp_path))
    assert len(found) == 1 and said in found[0], found


@pytest.mark.parametrize("page, block", BLOCKS)
def test_python_lines_of_a_page_run(page, block):
    exec(compile(block, f"block of {page.name}", "exec"), {})


def docstrings_with_examples():
    """Yield (name, docstring) of the package's docstrings that have lines at the prompt."""
    package = ROOT / "python" / "schafkopf"
    for path in sorted([*package.rglob("*.py"), *package.rglob("*.pyi")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                text = ast.get_docstring(node) or ""
                if ">>>" in text:
                    name = getattr(node, "name", "module")
                    yield pytest.param(text, id=f"{path.relative_to(package)}-{name}")


@pytest.mark.parametrize("text", list(docstrings_with_examples()))
def test_example_of_a_docstring_prints_what_it_says_as_it_stands(text):
    example = doctest.DocTestParser().get_doctest(text, {}, "x", None, 0)
    assert doctest.DocTestRunner().run(example).failed == 0


def test_licence_of_every_library_in_the_wheel_is_named():
    pages = tool("pages")
    assert {"fmt", "pybind11"} <= set(pages.libraries_of_the_wheel()) <= pages.LICENCES.keys()
    texts = {path.name for path in (ROOT / "python" / "licences").glob("*.txt")}
    assert texts == {text for _, _, text in pages.LICENCES.values()}
    page = pages.licence_page()
    assert "MIT" in page and "https://github.com/fmtlib/fmt" in page


def test_citation_names_the_version_of_the_package():
    version = re.search(
        r"project\(schafkopf VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()
    )
    citation = (ROOT / "python" / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (\S+)$", citation, re.MULTILINE)[1] == version[1]
    assert f"## {version[1]}" in (DOCS / "changelog.md").read_text(encoding="utf-8")


def test_stub_has_the_docstrings_of_the_module():
    stub_docs = tool("stub_docs", ROOT / "tests")
    text = stub_docs.STUB.read_text(encoding="utf-8")
    assert [node.name for node, _ in stub_docs.stale(text)] == []
    planted = text.replace("One deal from the first question", "One deal to the last question")
    assert [node.name for node, _ in stub_docs.stale(planted)] == ["Game"]
    assert stub_docs.stale(stub_docs.written(planted)) == []


def test_public_functions_say_what_they_raise(monkeypatch):
    stub_docs = tool("stub_docs", ROOT / "tests")
    things = list(stub_docs.public())
    assert {
        "Game.hand",
        "Session",
        "cards.legal",
        "VectorEnv.step_random",
        "bidding.calibrated",
    } <= {thing.name for thing in things if thing.takes}
    assert stub_docs.without_raises(things) == []
    planted = [
        thing._replace(doc=thing.doc.replace("Raises", "Says"))
        if thing.name in ("Session", "games.League.is_over", "Game.payoffs")  # the last takes none
        else thing
        for thing in things
    ]
    assert stub_docs.without_raises(planted) == ["Session", "games.League.is_over"]
    monkeypatch.setattr(sys.modules["schafkopf"].VectorEnv.step, "__doc__", "Step.")
    assert stub_docs.without_raises(stub_docs.public()) == ["VectorEnv.step"]
    assert stub_docs.main(["--check"]) == 1
    monkeypatch.undo()
    monkeypatch.setattr(stub_docs, "RAISE_NOTHING", {*stub_docs.RAISE_NOTHING, "settle"})
    assert stub_docs.without_raises(things) == ["settle"]


# With modules that are compiled already: PYTHONDONTWRITEBYTECODE has each process compile them.
def test_package_imports_quickly_and_without_torch(tmp_path):
    smoke = tool("wheel_smoke", ROOT / "tests")
    environment = os.environ | {
        "PYTHONPATH": str(ROOT / "python"),
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(tmp_path),
    }
    shares = [
        float(subprocess.check_output([sys.executable, "-c", smoke.IMPORT], env=environment))
        for _ in range(3)
    ]
    assert min(shares) < smoke.IMPORT_LIMIT


def test_every_number_of_metrics_is_told():
    told = (ROOT / "python/docs/training.md").read_text(encoding="utf-8")
    source = (ROOT / "training/run/update_report.cpp").read_text(encoding="utf-8")
    top = source[: source.index("shares_to_json")] + source[source.index("add_target_metrics") :]
    keys = set(re.findall(r'(?:line\[|\{)"(\w+)"[\],]', top))
    suffixes = set(re.findall(r'line\[name \+ "(\w+)"\]', top))
    keys |= {name + suffix for name in ("teacher", "clone") for suffix in suffixes}
    assert len(keys) > 45
    assert [key for key in sorted(keys) if f"`{key}`" not in told] == []


def test_every_option_of_cmake_is_on_a_page():
    files = [ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("*.cmake")]
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    options = set(re.findall(r"^option\((\w+)|^set\((\w+) .* CACHE ", text, re.MULTILINE))
    names = {name for pair in options for name in pair if name.startswith("SCHAFKOPF_")}
    assert "SCHAFKOPF_NATIVE" in names
    pages = [*ROOT.glob("*.md"), *(ROOT / "env").glob("*.md"), *PAGES]
    told = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert {name for name in names if not re.search(rf"{name}\b", told)} == set()
