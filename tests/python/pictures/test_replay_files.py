"""Files of game records: both forms, damaged lines, bytes that are no text."""

import codecs
import io
import json
import re
from pathlib import Path

import pytest
from support.record import RECORD
from support.refusals import refused

import schafkopf
from schafkopf import _core, cli, display, records, training_run
from schafkopf.commands import replay as replay_command
from schafkopf.serve.page import table_page

ROOT = Path(__file__).resolve().parents[3]
LINE = json.dumps(RECORD).encode()
TEXT = schafkopf.records.text_of(RECORD).encode()


@pytest.fixture
def replay(tmp_path, capsys, monkeypatch):
    """Runs the command on bytes; returns (exit code, lines of output, errors)."""

    def run(data, *options, piped=False):
        file = tmp_path / "games"
        file.write_bytes(data)
        if piped:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        code = cli.main(["replay", "-" if piped else str(file), *options])
        done = capsys.readouterr()
        return code, done.out.splitlines(), done.err

    return run


BAD_LINES = {
    "no UTF-8 text: byte 0xff at column 4": b'{"r\xff"}',
    "no UTF-8 text: byte 0xc3 at column 2": b"{\xc3",
    "no UTF-8 text: byte 0xfe at column 4": '{"ä'.encode() + b'\xfe"}',  # columns of characters
    "control character U+0000 at column 3": b'{"\0": 1}',
}


@pytest.mark.parametrize("piped", [False, True])
@pytest.mark.parametrize(("words", "bad"), BAD_LINES.items())
def test_a_bad_byte_costs_its_line_only(words, bad, piped, replay):
    code, lines, errors = replay(b"\n".join([LINE, bad, b"", LINE]) + b"\n", piped=piped)
    assert (code, len(lines)) == (1, 2)
    assert f"line 2: {words}" in errors and errors.count("\n") == 1
    code, lines, _ = replay(b"\n".join([bad, LINE, LINE]), "--check", piped=piped)
    assert (code, lines[-1]) == (1, "3 games: 2 as expected, 0 differ, 1 cannot be replayed")


def test_marks_and_line_ends_of_other_systems_are_read(replay):
    result = replay(LINE)[1]
    assert replay(b"\xef\xbb\xbf" + LINE + b"\r\n\r\n" + LINE + b"\r\n") == (0, 2 * result, "")
    assert replay(b"\xef\xbb\xbf" + TEXT.replace(b"\n", b"\r\n")) == (0, result, "")
    for mark, name in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        code, lines, errors = replay(mark + LINE.decode().encode(name))
        assert (code, lines) == (2, []) and "UTF-16" in errors


def test_marks_of_utf_16_behind_the_beginning_of_a_file_cost_their_line_only(replay):
    for mark, byte in ((codecs.BOM_UTF16_LE, "0xff"), (codecs.BOM_UTF16_BE, "0xfe")):
        code, lines, errors = replay(b"\n".join([LINE, mark + LINE, LINE]) + b"\n")
        assert (code, len(lines)) == (1, 2)
        assert f"line 2: no UTF-8 text: byte {byte} at column 1" in errors
        assert errors.count("\n") == 1


@pytest.mark.parametrize("game", [LINE + b"\n", b"# Game\n" + TEXT], ids=["json", "text"])
def test_files_with_marks_that_were_put_together_are_read(game, replay, tmp_path):
    result = replay(LINE)[1]
    marked = codecs.BOM_UTF8 + game
    assert replay(marked + marked) == (0, 2 * result, "")
    (tmp_path / "games").write_bytes(marked + marked)
    assert list(schafkopf.read_records(tmp_path / "games")) == [RECORD] * 2


def test_the_library_names_file_and_line(tmp_path):
    file = tmp_path / "games.jsonl"
    file.write_bytes(LINE + b"\n\xff\n")
    records = schafkopf.read_records(file)
    assert next(records) == RECORD
    with pytest.raises(ValueError, match=r"games\.jsonl: line 2: no UTF-8 text: byte 0xff"):
        next(records)


@pytest.mark.parametrize("other", ["5", "[1]", "null", '"text"'])
def test_json_that_is_no_object_is_named_and_not_passed_over(tmp_path, other):
    path = tmp_path / "games.jsonl"
    path.write_text('{"rules": "research"}\n' + other + "\n")
    read = schafkopf.records.read_records(path)
    assert next(read) == {"rules": "research"}
    with pytest.raises(ValueError, match=re.escape(f"{path}:2: a record is a JSON object")):
        next(read)


def test_games_in_readable_text_are_replayed(replay, tmp_path):
    result = replay(LINE)[1]
    titled = b"# Game 1\n" + TEXT + b"\n# Game 2\n" + TEXT + TEXT
    assert replay(titled) == (0, 3 * result, "")
    assert replay(titled, piped=True) == (0, 3 * result, "")
    assert replay(TEXT, "--text")[1] == [*TEXT.decode().splitlines(), ""]
    code, lines, _ = replay(titled, "--check")
    assert (code, lines[-1]) == (0, "3 games: 3 as expected, 0 differ, 0 cannot be replayed")
    file = tmp_path / "games.txt"
    file.write_bytes(titled)
    read = list(schafkopf.read_records(file))
    assert len(read) == 3 and all(
        schafkopf.records.text_of(record).encode() == TEXT for record in read
    )


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b"SU -> seat 0", b"SU -> seat 1", "games: text line 20: "),
        (b"hand 2: SO", b"hand 2: \xffO", "line 17: no UTF-8 text: byte 0xff at column 9"),
        (
            b"dealer: 3",
            b"daeler: 3",
            'games: text line 14: unknown word "daeler"; the nearest one is',
        ),
        (b"EO HO HA", b"EO EO HA", "game at line 13: "),
    ],
)
def test_a_damaged_game_in_readable_text_costs_itself_only(old, new, words, replay):
    second = TEXT.replace(old, new)
    assert second != TEXT
    first = b"# Game 1\n" + TEXT + b"\n# Game 2\n"
    code, lines, errors = replay(first + second + b"\n" + TEXT)
    assert (code, len(lines)) == (1, 2)
    assert words in errors and errors.count("\n") == 1


def test_a_bad_byte_in_the_title_costs_the_first_game(replay):
    code, lines, errors = replay(b"# G\xffme 1\n" + TEXT + b"\n# Game 2\n" + TEXT)
    assert (code, len(lines)) == (1, 1)
    assert "line 1: no UTF-8 text: byte 0xff at column 4" in errors and errors.count("\n") == 1


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b"official", b"off\xffcial", "no UTF-8 text: byte 0xff"),
        (b"official", b"off\x00cial", "control character U+0000"),
        (b"Game", b"G\xffme", "no UTF-8 text: byte 0xff"),
    ],
)
def test_a_bad_byte_in_the_title_or_first_line_costs_no_other_game(old, new, words, replay):
    game = b"# Game\n\n" + TEXT + b"\n"
    damaged = game.replace(old, new)
    assert damaged != game
    code, lines, errors = replay(game + damaged + game)
    assert (code, len(lines)) == (1, 2)
    line = game.count(b"\n") + (1 if old == b"Game" else 3)
    assert f"line {line}: {words}" in errors and errors.count("\n") == 1


def test_a_file_of_something_else_is_told_in_a_few_lines(replay):
    code, lines, errors = replay(b"".join(b"{%d\xff\n" % number for number in range(300)))
    assert (code, lines) == (2, [])
    assert len(errors.splitlines()) == 11
    assert errors.splitlines()[-1].endswith(": 290 more games or lines are damaged")
    page = (ROOT / "env" / "RECORD.md").read_text(encoding="utf-8")
    assert "of which the first ten are reported" in page


def test_damaged_games_among_others_are_all_named(replay):
    damaged = TEXT.replace(b"EO HO HA", b"EO EO HA") + b"\n"
    code, lines, errors = replay(TEXT + b"\n" + damaged * 20)
    assert (code, len(lines)) == (1, 1) and len(errors.splitlines()) == 20


def test_damaged_games_before_the_first_other_are_all_named(replay, monkeypatch):
    damaged = TEXT.replace(b"EO HO HA", b"EO EO HA") + b"\n"
    code, lines, errors = replay(damaged * 20 + TEXT + b"\n" + damaged)
    assert (code, len(lines)) == (1, 1)
    where = [int(line.split(": game at line ")[1].split(":")[0]) for line in errors.splitlines()]
    length = damaged.count(b"\n")
    assert where == [1 + length * number for number in range(22) if number != 20]
    monkeypatch.setattr(replay_command, "_MOST_HELD", 4)
    code, lines, errors = replay(damaged * 20 + TEXT + b"\n" + damaged)
    told = errors.splitlines()
    assert (code, len(lines), len(told)) == (1, 1, 16)
    assert told[14].endswith(": 6 more games or lines are damaged")
    assert f"line {1 + length * 21}: " in told[15]


def test_the_games_that_a_training_writes_are_replayed(tmp_path, monkeypatch, capsys):
    agent = _core.make_agent("rules")  # instead of a trained one
    monkeypatch.setattr(training_run._core, "make_agent", lambda _: agent)
    file = tmp_path / "games.txt"
    training_run.write_games(file, "model", "research")
    assert cli.main(["replay", str(file)]) == 0
    results = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(results) == training_run.REPLAYED_GAMES and all(
        "payoffs" in result for result in results
    )
    for record, result in zip(schafkopf.read_records(file), results, strict=True):
        assert schafkopf.replay(record) == result
        game = schafkopf.records.replayed_game(record)
        assert display.game_text(game).splitlines()[0] == "rules: research"


# U+009B begins a command of a terminal as ESC [ does, the others turn round what follows.
SIGNS = "\x9b\u202e\u2066"


@pytest.mark.parametrize("form", ["--text", "--check", None])
def test_signs_in_a_record_do_nothing_to_the_terminal(form, replay, tmp_path):
    record = {**RECORD, "id": SIGNS, "meta": {SIGNS: [SIGNS]}}
    damaged = [{**RECORD, SIGNS: SIGNS}, {**RECORD, "expect": {SIGNS: 1}}]
    data = "\n".join(json.dumps(one, ensure_ascii=False) for one in (record, *damaged))
    _, lines, errors = replay(data.encode(), *([form] if form else []))
    assert lines and errors and not set(SIGNS) & set("".join(lines) + errors)
    if form == "--text":  # what is written is the same when it is read again
        (tmp_path / "again").write_text("\n".join(lines), encoding="utf-8")
        again = next(iter(schafkopf.records.read_records(tmp_path / "again")))
        assert (again["id"], again["meta"]) == (record["id"], record["meta"])


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1, 10**30])
def test_whole_numbers_of_a_record_are_kept_or_refused(number):
    record = records.record_of(schafkopf.Game(seed=1))
    record["meta"] = {"n": number}
    refused("allowed: whole numbers of 64 bits", lambda: records.text_of(record))
    for kept in (2**64 - 1, -(2**63), 1e30):
        record["meta"] = {"n": kept}
        assert records.from_text(records.text_of(record))["meta"] == {"n": kept}


@pytest.mark.parametrize("language", ["de", "en"])
def test_pages_say_in_both_languages_that_they_need_javascript(language):
    replay = schafkopf.replay_html(RECORD, language=language)
    for page in (replay, table_page("nonce", language, "research", [], True)):
        without = page.partition("<noscript>")[2].partition("</noscript>")[0]
        assert '<p lang="de">Diese Seite braucht JavaScript' in without
        assert '<p lang="en">This page needs JavaScript' in without
