"""What python/docs/security.md promises: files are data, sizes are checked, paths stay where they
are, and pages show texts as texts."""

import ast
import contextlib
import json
import os
import pickle
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from support.training import SMALL, as_options, trainers

import schafkopf
from schafkopf import cli, files, report, run_page, say, tournaments

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "python" / "schafkopf"
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)> '\"&amp;"

# ---- loading executes nothing ----------------------------------------------------------------

# What runs what it reads, or reads objects that may run something.
RUNS = {
    "eval", "exec", "compile", "__import__", "os.system", "os.popen", "yaml.load",
    "yaml.unsafe_load", "torch.load", "marshal.load", "marshal.loads", "shelve.open",
    "pickle.load", "pickle.loads", "pickle.Unpickler", "np.load", "numpy.load",
    "runpy.run_path", "joblib.load",
}  # fmt: skip
# Its own errors, made a line before: whether they can be sent to another process.
ALLOWED = {("crew.py", "pickle.loads")}


def calls_of(text):
    """The names of all functions that a source calls, and those it calls with a shell."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            shell = [word for word in node.keywords if word.arg == "shell"]
            yield "shell" if shell else name


def running(text):
    return {name for name in calls_of(text) if name in RUNS | {"shell"}}


def test_no_source_of_the_package_runs_what_it_reads():
    found = {
        (str(file.relative_to(PACKAGE)), name)
        for file in PACKAGE.rglob("*.py")
        for name in running(file.read_text())
    }
    assert found == ALLOWED


@pytest.mark.parametrize(
    "text", ["eval(x)", "torch.load(f)", "subprocess.run(c, shell=True)", "pickle.loads(b)"]
)
def test_a_source_that_would_run_what_it_reads_is_found(text):
    assert running(text)


class Command:
    """A pickle that makes a file where it is read."""

    def __reduce__(self):
        return os.mkdir, ("it-ran",)


def test_no_reader_runs_a_pickle(tmp_path, monkeypatch):
    from support.hostile import READERS

    monkeypatch.chdir(tmp_path)
    content = pickle.dumps(Command())
    for name, read in READERS.items():
        path = tmp_path / ("a.toml" if name == "rules" else "a.pickle")
        path.write_bytes(content)
        with contextlib.suppress(ValueError, OSError):
            read(path)
    assert not (tmp_path / "it-ran").exists()
    pickle.loads(content)
    assert (tmp_path / "it-ran").exists()  # it would have been seen


# ---- sizes are checked before memory is asked for --------------------------------------------

LITTLE_MEMORY = """
import resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from support.hostile import READERS
pages = int(Path("/proc/self/statm").read_text().split()[0])
most = pages * resource.getpagesize() + (128 << 20)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
for path in map(Path, sys.argv[2:]):
    for name, read in READERS.items():
        if name == "rules":
            continue
        try:
            read(path)
        except (ValueError, OSError):
            pass
        except BaseException as error:
            raise SystemExit(f"{name} reads {path.name}: {error!r}")
"""


def promising(size):
    """Files that say they hold `size` bytes."""
    shape = json.dumps({"t": {"dtype": "F32", "shape": [size // 4], "data_offsets": [0, size]}})
    journal = {"format": "schafkopf-tournament-games-1", "row_bytes": 40, "options": {}}
    head = b"SKRW" + struct.pack("<IQ", size // 40 & 0xFFFFFFFF, 0)
    return {
        "header": struct.pack("<Q", size) + b"{}",
        "tensor": struct.pack("<Q", len(shape)) + shape.encode(),
        "piece": json.dumps(journal, separators=(",", ":")).encode() + b"\n" + head,
        "game": b"SKG5" + struct.pack("<IQ", size & 0xFFFFFFFF, size),
        "snapshot": b"SCKFENV5" + struct.pack("<QI", size, size & 0xFFFFFFFF),
    }


def test_no_size_that_a_file_names_takes_memory(tmp_path):
    from support.hostile import corpus

    binary = [path for path in corpus() if path.suffix not in (".toml", ".txt", ".jsonl")]
    paths = [Path(shutil.copy(path, tmp_path)) for path in binary]
    for size in (1 << 31, 1 << 40, (1 << 63) - 4):
        for name, content in promising(size).items():
            paths.append(tmp_path / f"{name}_{size}")
            paths[-1].write_bytes(content)
    command = [
        sys.executable,
        "-c",
        LITTLE_MEMORY,
        str(Path(__file__).parents[1]),
        *map(str, paths),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


# ---- paths in configurations lead nowhere unasked ---------------------------------------------


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """The working folder, and one of somebody else with a rule file."""
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    here.mkdir()
    elsewhere.mkdir()
    (elsewhere / "house.toml").write_text('preset = "research"\n')
    monkeypatch.chdir(here)
    return here, elsewhere


def said(capsys, *words):
    code = cli.main([str(word) for word in words])
    return code, capsys.readouterr().err


def test_a_tournament_file_leads_nowhere_unasked(folders, capsys):
    here, elsewhere = folders
    rest = 'agents = ["rules", "random"]\nblocks = 2\nthreads = 1\n'
    linked = here / "link.toml"
    linked.symlink_to(elsewhere / "house.toml")
    for path in ("../elsewhere/house.toml", elsewhere / "house.toml", "link.toml"):
        (here / "a.toml").write_text(f'{rest}rules = "{path}"\n')
        code, errors = said(capsys, "tournament", "a.toml", "--out", "new")
        assert code == 2 and f'a.toml: rules = "{path}" leads to ' in errors
        assert not (here / "new").exists()
    code, _ = said(capsys, "tournament", "a.toml", "--out", "new", "--set", f"rules={path}")
    assert code == 0
    (elsewhere / "a.toml").write_text(f'{rest}rules = "{elsewhere}/house.toml"\n')
    assert said(capsys, "tournament", elsewhere / "a.toml", "--out", "beside")[0] == 0
    (here / "b.toml").write_text('agents = ["rules", "net:/etc/passwd"]\n')
    code, errors = said(capsys, "tournament", "b.toml", "--out", "other")
    assert code == 2 and "leads to /etc/passwd, out of the working folder" in errors


def test_a_training_file_leads_nowhere_unasked(folders, capsys):
    trainers()
    here, _ = folders
    for line in ('init = "/etc/passwd"', 'clone_records = "../x"', 'pool = "rules;net:../x"'):
        (here / "a.toml").write_text(line + "\n")
        code, errors = said(capsys, "train", "a.toml", "--out", "new")
        assert code == 2 and f"a.toml: {line}"[:18] in errors and "leads to /" in errors
        code, errors = said(capsys, "curriculum", "a.toml", "--out", "new")
        assert code == 2 and "leads to /" in errors
    assert not (here / "new").exists()


WITHOUT_END = """
import resource, sys
from schafkopf import cli
pages = int(open("/proc/self/statm").read().split()[0])
most = pages * resource.getpagesize() + (4 << 30)  # PyTorch takes much of it
resource.setrlimit(resource.RLIMIT_AS, (most, most))
sys.exit(cli.main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "words",
    [
        ["replay", "/dev/zero"],
        ["dataset", "import", "/dev/zero", "--out", "new"],
        ["tournament", "lists.toml", "--set", "contract_list=/dev/zero"],
        ["tournament", "--resume", "linked"],
        ["train", "--set", "clone_records=/dev/zero", "--out", "new"],
    ],
    ids=lambda words: "-".join(words[:2]),
)
def test_a_device_without_an_end_takes_no_memory(tmp_path, words):
    if words[:2] == ["dataset", "import"]:
        pytest.importorskip("pyarrow")
    if words[0] == "train":
        trainers()
    (tmp_path / "linked").mkdir()
    text = 'agents = ["rules", "random"]\nblocks = 2\n'
    (tmp_path / "linked" / "config.toml").write_text(files.sealed(text))
    (tmp_path / "linked" / "games.journal").symlink_to("/dev/zero")
    (tmp_path / "lists.toml").write_text(text)
    command = [sys.executable, "-c", WITHOUT_END, *words]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, timeout=240, check=False
    )
    assert done.returncode != 0
    (message,) = done.stderr.splitlines()
    assert any(
        text in message for text in ("longer than a", "no regular file", "allowed: a regular file")
    )


WAITING = """
import sys, schafkopf
from schafkopf import cli
try:
    schafkopf.make_agent("net:" + sys.argv[1])
except (OSError, ValueError) as error:
    print(error, file=sys.stderr)
sys.exit(cli.main(["tournament", "--resume", sys.argv[2]]))
"""


def test_a_pipe_in_the_place_of_a_file_of_ours_is_not_waited_for(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    text = 'agents = ["rules", "random"]\nblocks = 2\n'
    (folder / "config.toml").write_text(files.sealed(text))
    for name in ("games.journal", "weights"):
        os.mkfifo(folder / name)
    command = [sys.executable, "-c", WAITING, str(folder / "weights"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 1
    weights, *_, journal = done.stderr.splitlines()
    assert weights.endswith("weights: cannot read the weights file: no regular file")
    assert journal.endswith("games.journal: cannot read the games: no regular file")


def test_lines_without_a_game_are_not_held_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(schafkopf.records, "MAX_LINE_BYTES", 1000)
    (tmp_path / "blank").write_bytes(b"\n" * 1001)
    with pytest.raises(ValueError, match="no game in the first 10 lines"):
        list(schafkopf.records.read_records(tmp_path / "blank"))


def test_a_line_is_as_long_as_is_allowed_and_no_longer(tmp_path, monkeypatch):
    game = json.dumps(schafkopf.records.record_of(schafkopf.Game(seed=1))).encode()
    most = len(game) + 1000
    monkeypatch.setattr(schafkopf.records, "MAX_LINE_BYTES", most)
    for length in (most, most + 1):
        (tmp_path / str(length)).write_bytes(game + b"\n" + game.ljust(length - 1) + b"\n")
    assert len(list(schafkopf.records.read_records(tmp_path / str(most)))) == 2
    with pytest.raises(ValueError, match=f"line 2: longer than a line may be, allowed: {most}"):
        list(schafkopf.records.read_records(tmp_path / str(most + 1)))


def test_readable_text_is_not_held_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(schafkopf.records, "MAX_TEXT_BYTES", 10_000)
    (tmp_path / "long").write_bytes(b"rules: research\ndealer: 3\n" + b"x\n" * 1000)
    with pytest.raises(ValueError, match="line 98: more text than is read at once"):
        list(schafkopf.records.read_records(tmp_path / "long"))
    lines = iter([b"rules: research\n", *[b"x\n"] * 1000])
    with pytest.raises(ValueError, match="line 98: more text than is read at once"):
        list(schafkopf.records.read_entries(lines))
    assert len(list(lines)) == 1001 - 98, "what follows was not read"


# ---- texts on a terminal ---------------------------------------------------------------------


def test_names_of_a_tournament_file_do_nothing_to_a_terminal(tmp_path, capsys):
    file, name = tmp_path / "names.toml", "a\\u001b[2J\\u202eb"
    file.write_text(
        f'agents = [{{ name = "{name}", spec = "rules" }}, "random"]\nblocks = 2\nthreads = 1\n'
    )
    for words in ([str(file), "--out", str(tmp_path / "out")], ["--resume", str(tmp_path / "out")]):
        assert cli.main(["tournament", *words]) == 0
        told = capsys.readouterr().out
        assert "a?[2J?b declared" in told and "\x1b" not in told and "\u202e" not in told


ODD = "a\x1b[2J\u202eb\nc"  # as a name on the disk


@pytest.mark.parametrize(
    "words",
    [
        ["dataset", "write", "--players", "rules", "random", "--games", "4", "--out", ODD],
        ["dataset", "import", "deal.jsonl", f"damaged{ODD}", "--skip-damaged", "--out", ODD],
        ["tournament", "small.toml", "--out", ODD],
        ["tournament", "--agents", "rules", "random", "--blocks", "2", "--json", ODD],
        ["exploit", "rules", "--endgames", "1", "--updates", "2", "--states", "0", "--json", ODD],
        ["replay", "deal.jsonl", "--html", ODD],
        ["rules", "show", f"rules{ODD}.toml"],
        ["rules", "diff", "research", f"rules{ODD}.toml"],
        ["rules", "check", f"rules{ODD}.toml"],
        ["train", *as_options(SMALL | {"decisions_limit": 1}), "--out", ODD, "--no-tournament"],
    ],
    ids=lambda words: "-".join(words[:2]),
)
def test_names_of_files_that_are_told_of_do_nothing_to_a_terminal(
    tmp_path, monkeypatch, capsys, words
):
    monkeypatch.chdir(tmp_path)
    if words[0] == "dataset":
        pytest.importorskip("pyarrow")
    if words[0] == "train":
        trainers()
    game, rules = schafkopf.Game(seed=1), schafkopf.make_agent("rules")
    while not game.is_terminal:
        game.apply(rules.act(game.view(game.current_player))[0])
    Path("deal.jsonl").write_text(json.dumps(schafkopf.records.record_of(game)) + "\n")
    Path(f"damaged{ODD}").write_text("{}\n")
    Path(f"rules{ODD}.toml").write_text('preset = "research"\nlegen = "free"\n')
    Path("small.toml").write_text('agents = ["rules", "random"]\nblocks = 2\n')
    assert cli.main(words) == ("--skip-damaged" in words)  # 1: games were left out
    told = capsys.readouterr()
    for text in (told.out, told.err):
        assert "\x1b[2J" not in text and "\u202e" not in text and "b\nc" not in text
    assert "a?[2J?b?c" in told.out


@pytest.mark.parametrize("words", [["rules", "check"], ["train", "--resume"], ["replay"]])
def test_names_of_files_that_are_refused_do_nothing_to_a_terminal(capsys, words):
    assert cli.main([*words, ODD]) == cli.WRONG_INPUT
    told = capsys.readouterr()
    assert told.out == "" and "a?[2J?b?c" in told.err and told.err.count("\n") == 1


def test_whatever_is_said_does_nothing_to_a_terminal(capfd):
    say.say(ODD)
    say.say(f"{ODD}\n\n", end="", lines=True)
    say.say_aside(ODD)
    say.say_aside(ODD, lines=True)
    out, err = capfd.readouterr()
    assert out == "a?[2J?b?c\n" + "a?[2J?b\nc\n\n"
    assert err == "a?[2J?b?c\n" + "a?[2J?b\nc\n"


def test_lines_of_progress_write_over_themselves_whatever_is_in_them(capfd, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    line = tournaments.ProgressLine(ODD, "games")
    line(0, 2)
    line(2, 2)
    shown = capfd.readouterr().err
    assert shown == "\ra?[2J?b?c: 0 of 2 games\033[K\ra?[2J?b?c: 2 of 2 games, 0 s left\033[K\n"


# ---- pages show texts as texts ---------------------------------------------------------------


def hostile(value):
    """The same value with markup in every text."""
    if isinstance(value, dict):
        return {key: hostile(one) for key, one in value.items()}
    if isinstance(value, list):
        return [hostile(one) for one in value]
    return value + HOSTILE if isinstance(value, str) else value


def check_page(html):
    assert "<script>alert" not in html and "<img src=x" not in html
    assert "&lt;img src=x" in html or r"\u003cimg src=x" in html


def test_reports_show_every_text_of_a_result_as_text(tmp_path):
    result = schafkopf.tournament(
        {"rules": "rules", "random": "random"}, blocks=2, track="full", formats=["1v3"]
    )
    plain = json.loads(json.dumps(result))
    agents = [{**agent, "name": agent["name"] + HOSTILE} for agent in plain["agents"]]
    named = {**plain, "agents": agents, "rules": HOSTILE, "tariff_unit": HOSTILE}
    check_page(report.to_html([named], HOSTILE))
    trained = {
        "model_path": str(tmp_path / f"{HOSTILE.replace('/', '')}.safetensors"),
        "rules": HOSTILE, "updates": 1, "decisions": 1, "games": 1, "seconds": 1.0, "workers": 1,
        "interrupted": False, "higher_limits": "",
    }  # fmt: skip
    check_page(run_page.to_html(tmp_path, trained, [named]))


def test_a_league_day_shows_every_text_as_text():
    points = {"mean": 1.0, "half_width": 2.0}
    row = {"rank": 1, "player": 2, "agent": "a", "total": 30, "bonus": 0, "games": 8}
    day = {"agents": [{"name": "a", "points": points}], "players": 4, "seed": 1}
    day |= {"rules": "tournament_2024", "tariff_unit": "Cent", "ranking": [row]}
    check_page(report.league_html(hostile(day)))


WAYS = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\|\s*safe\b|\bautoescape\b"


def templates_of(text):
    """Yield of each template that a source makes whether it escapes what stands in it."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
            ("Environment", "Template")
        ):
            words = {word.arg: ast.unparse(word.value) for word in node.keywords}
            yield words.get("autoescape") == "True"


def test_every_template_of_the_package_escapes():
    made = {file: list(templates_of(file.read_text())) for file in PACKAGE.rglob("*.py")}
    assert sum(map(len, made.values())) > 2
    assert [file for file, escapes in made.items() if not all(escapes)] == []
    shown = [*PACKAGE.rglob("*.j2"), *PACKAGE.rglob("*.js")]
    assert len(shown) > 8
    for file in shown:
        assert re.findall(WAYS, file.read_text()) == [], file


@pytest.mark.parametrize("text", ["jinja2.Template(x)", "Environment(loader=y)"])
def test_a_template_that_does_not_escape_is_found(text):
    assert list(templates_of(text)) == [False]


@pytest.mark.parametrize("text", ["{{ x|safe }}", "{% autoescape false %}", "one.innerHTML = x"])
def test_a_text_that_is_shown_as_markup_is_found(text):
    assert re.search(WAYS, text)


# ---- what it depends on ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def dependencies():
    sys.path.insert(0, str(ROOT / "tests"))
    import dependencies

    return dependencies


def test_the_page_lists_every_pinned_dependency_with_its_licence(dependencies):
    assert dependencies.PAGE.read_text() == dependencies.page(), (
        "write it anew: python tests/dependencies.py"
    )


def test_every_line_of_a_file_of_pins_names_one_version(dependencies):
    files = {path.name for path in (ROOT / "python").glob("requirements*.txt")}
    assert files == set(dependencies.FILES)
    for file in files:
        for line in (ROOT / "python" / file).read_text().splitlines():
            words = line.partition("#")[0].strip()
            assert not words or "==" in words, f"{file}: {line}"


def repository(folder, tag):
    """Return the hash of a repository whose one commit has a tag; whoever asks GitHub gets it."""
    (folder / "CMakeLists.txt").write_text("project(other LANGUAGES NONE)\n")
    own = ["git", "-c", "user.name=x", "-c", "user.email=x@localhost"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"], ["tag", tag]):
        subprocess.run([*own, *words], cwd=folder, check=True)
    asked = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=folder, check=True, capture_output=True, text=True
    )
    return asked.stdout.strip()


def test_every_library_that_is_downloaded_is_pinned_to_a_commit():
    text = (ROOT / "cmake" / "SchafkopfDependencies.cmake").read_text()
    declared = re.findall(r"FetchContent_Declare\((\w+) ", text)
    pinned = re.findall(r"PATCH_COMMAND \$\{at_commit\} (\w+) [0-9a-f]{40}\n", text)
    assert len(declared) > 6
    assert declared == pinned


def test_a_tag_that_names_another_commit_is_not_compiled(tmp_path, monkeypatch):
    there = tmp_path / "there"
    there.mkdir()
    commit = repository(there, "v3.3.0")
    check = ["cmake", "-P", ROOT / "cmake" / "check_commit.cmake", "toml", commit]
    assert subprocess.run(check, cwd=there, check=False).returncode == 0

    config = tmp_path / "gitconfig"
    config.write_text(
        f'[url "{there.as_uri()}"]\ninsteadOf = https://github.com/marzer/tomlplusplus.git\n'
        "[safe]\ndirectory = *\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES NONE)\n"
        f"include({ROOT.as_posix()}/cmake/SchafkopfDependencies.cmake)\n"
    )
    asked = subprocess.run(
        ["cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "build",
         "-DFETCHCONTENT_TRY_FIND_PACKAGE_MODE=NEVER"],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert asked.returncode != 0
    said = " ".join((asked.stdout + asked.stderr).split())
    assert f"the tag of tomlplusplus names commit {commit}, not c635f218" in said


def test_the_bill_of_materials_names_libraries_and_packages(dependencies):
    bill = dependencies.bill()
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    names = {part["name"]: part for part in bill["components"]}
    assert {"fmt", "Eigen3", "tomlplusplus", "nlohmann_json", "numpy", "jinja2"} <= names.keys()
    assert names["numpy"]["purl"] == f"pkg:pypi/numpy@{names['numpy']['version']}"
    references = [part["bom-ref"] for part in bill["components"]]
    assert len(references) == len(set(references))
    assert bill == dependencies.bill()
