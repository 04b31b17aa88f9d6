"""Players in other processes, and ours as one: `engine:COMMAND` and `schafkopf engine`."""

import json
import shlex
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from support.programs import command, environment, in_shell, run

import schafkopf

ENGINES = Path(__file__).parents[3] / "python" / "examples" / "engines"
LOWEST = f"engine:{shlex.quote(str(ENGINES / 'lowest.sh'))}"
HIGHEST = f"engine:perl {shlex.quote(str(ENGINES / 'highest.pl'))}"


@pytest.fixture(autouse=True)
def our_package(monkeypatch):
    """Let `schafkopf engine` find the package that is tested."""
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])


def ours(agent):
    return "engine:" + shlex.join(map(str, command("engine", agent)))


@pytest.mark.parametrize("track", ["full", "card_play"])
def test_two_engines_in_other_languages_play_a_tournament(track):
    result = schafkopf.tournament(
        {"lowest": LOWEST, "highest": HIGHEST}, blocks=4, track=track, threads=2
    )
    assert result["games"] == 4 * 8
    again = schafkopf.tournament(
        {"lowest": LOWEST, "highest": HIGHEST}, blocks=4, track=track, threads=1
    )
    assert again["one_against_three"] == result["one_against_three"]


@pytest.mark.parametrize("track", ["full", "card_play"])
def test_the_rule_agent_plays_alike_through_the_protocol(track):
    def games(player):
        how = {"blocks": 3, "track": track, "rules": "research", "threads": 1, "seed": 5}
        return schafkopf.tournament({"a": player, "b": "random"}, **how).games

    fields = ("contract", "declarer", "won", "payoffs", "points", "decisions")
    here, there = games("rules"), games(ours("rules"))
    for field in fields:
        assert np.array_equal(here[field], there[field]), field


def test_the_conversation_on_the_page_is_one_that_takes_place():
    page = (ENGINES.parents[2] / "agents" / "engine" / "PROTOCOL.md").read_text(encoding="utf-8")
    lines = page.split("```text\n")[1].split("```")[0].splitlines()
    asked, answers = ([line[2:] for line in lines if line[0] == sign] for sign in "><")
    done = subprocess.run(
        ["sh", ENGINES / "lowest.sh"], input="\n".join(asked) + "\n", capture_output=True, text=True
    )
    assert done.stdout.splitlines() == answers
    position = json.loads(asked[2].removeprefix("position "))
    legal = asked[3].split(" legal ")[1].split()
    assert position["hand"] == legal == sorted(legal, key=schafkopf.cards.parse_card)


def mix64(x):
    """Return the finaliser of splitmix64, as env/base/random.h has it."""
    x = (x + 0x9E3779B97F4A7C15) % 2**64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)


def drawn_action(key, legal):
    """Return what rules:random=0.5 draws from the key of a question, None = it plays its own."""
    seed, env, episode, decision, seat = key
    deal = mix64((mix64(mix64(seed) ^ env) + episode) % 2**64)
    luck = mix64((mix64(deal ^ (2 << 56)) + (seat << 32 | decision)) % 2**64)
    return legal[mix64(luck) * len(legal) >> 64] if (luck >> 11) * 2.0**-53 < 0.5 else None


def test_what_a_player_draws_through_the_protocol_follows_from_the_key_it_is_told(tmp_path):
    lines = tmp_path / "lines"
    told = f"tee {shlex.quote(str(lines))} | {ours('rules:random=0.5').removeprefix('engine:')}"
    player = schafkopf.make_agent(f"engine:sh -c {shlex.quote(told)}")
    own, rules = schafkopf.make_agent("rules"), schafkopf.RuleSet("research")
    answers = []
    for seed in range(6):
        game = schafkopf.Game(rules, seed=seed)
        while not game.is_terminal:
            view = game.view(game.current_player)
            action = int(player.act(view, seed, rules)[0])
            answers.append((schafkopf.actions.action_name(action), own.act(view, seed, rules)[0]))
            game.apply(action)
    end, questions = time.monotonic() + 60, []
    while len(questions) < len(answers) and time.monotonic() < end:  # tee writes the file last
        told = lines.read_text().splitlines()
        questions = [line.split() for line in told if line.startswith("go ")]
    assert len(questions) == len(answers) > 120
    drawn = 0
    for words, (played, own_action) in zip(questions, answers, strict=True):
        key, legal = [int(word) for word in words[2:7]], words[words.index("legal") + 1 :]
        legal = [word for word in legal if not word.endswith("_REST")]  # it never claims
        assert key[1:] == [0, 0, 0, 0]
        expected = drawn_action(key, legal)
        drawn += expected is not None
        assert played.removeprefix("CARD ") == (
            expected or schafkopf.actions.action_name(int(own_action)).removeprefix("CARD ")
        )
    assert 0.3 < drawn / len(answers) < 0.7


def test_the_command_answers_and_ends():
    lines = 'hello 1\nrules "research"\nnonsense\nquit\nhello 1\n'
    done = run("engine", "random", input=lines)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "hello 1 deterministic name random",
        'error unknown command "nonsense", allowed: hello, rules, position, go, quit',
    ]
    assert run("engine", "random", input="").returncode == 0
    wrong = run("engine", "oracle", input="")
    assert wrong.returncode == 2
    assert (
        wrong.stderr
        == "schafkopf: oracle:version=3 sees hidden hands, and the protocol tells none\n"
    )


def test_a_broken_engine_is_an_error_before_the_first_game():
    done = run("tournament", "--agents", "rules", "engine:/no/such/program", "--blocks", "2")
    assert done.returncode == 2
    assert "cannot start /no/such/program: No such file or directory" in done.stderr


def test_an_engine_that_always_fails_ends_the_tournament_with_what_to_do():
    script = shlex.quote("read line; echo hello 1 name Late; sleep 1000")
    engine = f"engine:time=0.05,failures=3,sh -c {script}"
    done = run("tournament", "--agents", "random", engine, "--blocks", "2")
    assert done.returncode == 1
    assert "3 decisions in a row without a usable answer (failures = 3)" in done.stderr
    assert "gave no answer in time; try it by hand, agents/engine/PROTOCOL.md" in done.stderr


def test_files_that_a_command_names_are_part_of_the_player_and_its_log_is_not(tmp_path):
    notes, log = tmp_path / "notes.txt", tmp_path / "log.txt"
    last = (
        "while read word rest; do case $word in "
        "hello) echo hello 1 deterministic name Last;; go) echo bestaction ${rest##* };; esac; done"
    )

    def play_twice(engine, journal):
        how = {"blocks": 1, "threads": 1, "journal": tmp_path / journal}
        schafkopf.tournament([engine, "random"], **how)
        schafkopf.tournament([engine, "random"], resume=True, **how)

    play_twice(f"engine:log={log},sh -c {shlex.quote(f'echo asked >&2; {last}')}", "a.journal")
    notes.touch()
    with pytest.raises(ValueError, match="its games belong to another tournament"):
        play_twice(f"engine:sh -c {shlex.quote(f'echo asked >> $0; {last}')} {notes}", "b.journal")
    page = (ENGINES.parents[2] / "agents" / "engine" / "PROTOCOL.md").read_text(encoding="utf-8")
    assert "Files that the command names are part of the player" in page.replace("\n", " ")


def test_what_went_wrong_is_counted_per_game_and_reported():
    script = (
        "read line; echo hello 1 name Rude; n=0; while read word rest; do case $word in "
        "go) n=$((n + 1)); if [ $((n % 3)) = 0 ]; then echo bestaction NO_SUCH; else "
        "legal=${rest##* legal }; echo bestaction ${legal%% *}; fi;; esac; done"
    )
    players = {"rude": f"engine:sh -c {shlex.quote(script)}", "random": "random"}
    result = schafkopf.tournament(players, blocks=2, threads=1, calibration=False)
    rude, other = result["agents"]
    assert "engine" not in other
    assert rude["engine"]["deterministic"] is False
    assert rude["engine"]["failures"]["garbage"] == result.games["failures"].sum() > 0
    assert '"NO_SUCH" is no action' in rude["engine"]["first_failure"]
    assert "rude: decisions drawn because its program failed: " in result["text"]
    assert "rude does not call itself deterministic" in result["text"]


@pytest.mark.parametrize("greedy", [False, True])
def test_failures_are_counted_per_game_of_engines_with_threads_too(greedy):
    script = (
        "n=0; while read word rest; do case $word in hello) echo hello 1 deterministic name Rude;; "
        "go) n=$((n + 1)); if [ $((n % 3)) = 0 ]; then echo error; else "
        "legal=${rest##* legal }; echo bestaction ${legal%% *}; fi;; esac; done"
    )
    engine = f"engine:failures=100000,sh -c {shlex.quote(script)}"
    players = {"rude": schafkopf.make_agent(engine, num_threads=3), "random": "random"}
    result = schafkopf.tournament(
        players, blocks=12, threads=1, greedy=greedy, calibration=False, track="card_play"
    )
    rude = result["agents"][0]["engine"]
    assert rude["failures"]["error"] == result.games["failures"].sum() > 20


def test_the_first_failure_ends_what_does_not_count_them_where_none_is_allowed(tmp_path):
    pytest.importorskip("pyarrow")
    script = shlex.quote(
        "n=0; while read word rest; do case $word in hello) echo hello 1 name Ends;; "
        "go) n=$((n + 1)); [ $n = 9 ] && exit 7; "
        "legal=${rest##* legal }; echo bestaction ${legal%% *};; esac; done"
    )
    engine = f"engine:failures=1,sh -c {script}"
    with pytest.raises(RuntimeError, match=r"\(failures = 1\), the last: ended with exit code 7"):
        schafkopf.datasets.write_dataset(tmp_path / "games", players=[engine, "rules"], games=8)
    assert not (tmp_path / "games").exists()


def test_drawn_decisions_are_counted_and_said_where_no_tournament_reports_them(tmp_path):
    pytest.importorskip("pyarrow")
    script = shlex.quote(
        "n=0; while read word rest; do case $word in hello) echo hello 1 name Ends;; "
        "go) n=$((n + 1)); [ $n = 9 ] && exit 7; "
        "legal=${rest##* legal }; echo bestaction ${legal%% *};; esac; done"
    )
    engine = schafkopf.make_agent(f"engine:sh -c {script}")
    said = []
    players = {"ends": engine, "rules": "rules"}
    schafkopf.datasets.write_dataset(tmp_path / "games", players=players, games=8, note=said.append)
    crashes = engine.failures["crash"]
    assert crashes > 0 and engine.failures == dict.fromkeys(engine.failures, 0) | {"crash": crashes}
    assert engine.first_failure == "ended with exit code 7"
    assert said == [
        f'players["ends"]: decisions drawn because its program failed: {crashes} crash; the first: '
        "ended with exit code 7"
    ]
    with pytest.warns(RuntimeWarning, match="^opponent: decisions drawn because its program fail"):
        schafkopf.bidding.calibration("rules", engine, blocks=2, worlds=0)
    assert engine.failures["crash"] > crashes
    threaded = schafkopf.make_agent(engine, num_threads=2)
    assert threaded.failures == engine.failures
    assert schafkopf.make_agent("rules").failures is None
    assert schafkopf.make_agent("rules").first_failure == ""


def test_engines_are_opponents_of_a_batch_and_answer_agents():
    env = schafkopf.VectorEnv(4, opponent=LOWEST, learner_seat=0, seed=1)
    env.reset()
    for _ in range(3):
        env.step(np.argmax(env.action_mask, axis=1))
    game = schafkopf.Game.with_contract(schafkopf.Contract("SOLO", declarer=0, suit="H"), seed=34)
    view = game.view(game.current_player)
    assert schafkopf.make_agent(LOWEST).act(view) == schafkopf.legal_mask(view).argmax(axis=1)


def test_ctrl_c_ends_the_engines():
    code = (
        "import os, schafkopf, signal, subprocess, threading\n"
        f"agent = {LOWEST!r}\n"
        "begun = threading.Event()\n"
        "def children():\n"
        "    return subprocess.run(['ps', '-o', 'args=', '--ppid', str(os.getpid())],\n"
        "                          capture_output=True, text=True).stdout\n"
        "def interrupt():\n"
        "    begun.wait()\n"
        "    print('lowest' in children(), flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "threading.Thread(target=interrupt, daemon=True).start()\n"
        "try:\n"
        "    schafkopf.tournament([agent, 'random'], blocks=1000000, threads=2,\n"
        "                         progress=lambda done, _: done and begun.set())\n"
        "except KeyboardInterrupt:\n"
        "    print('lowest' in children(), 'defunct' in children())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stdout == "True\nFalse False\n", done.stderr


HANGS = """import sys, time
for line in sys.stdin:
    if line.startswith("hello"):
        print("hello 1 name Hangs", flush=True)
    elif line.startswith("go"):
        time.sleep(200)
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_an_end_does_not_wait_for_a_program_that_hangs(tmp_path, threads):
    (tmp_path / "hangs.py").write_text(HANGS)
    engine = f"engine:time=150,{sys.executable} {tmp_path / 'hangs.py'}"
    begun = time.monotonic()

    def end(*_):
        if time.monotonic() - begun > 1.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        schafkopf.tournament(["rules", engine], blocks=4, threads=threads, progress=end)
    assert time.monotonic() - begun < 100


def test_a_line_that_is_no_text_does_not_end_an_engine():
    done = in_shell("engine rules", given=b"hello 1\n\xff\xfe\nhello 1\nquit\n")
    first, wrong, again, *_ = done.stdout.decode().splitlines()
    assert done.returncode == 0 and first == again and wrong.startswith("error ")


def test_a_line_without_an_end_takes_no_memory():
    done = in_shell("engine rules", given=b"x" * 3_000_000)
    assert done.returncode == 2 and done.stdout == b""
    assert done.stderr.decode().splitlines() == [
        "schafkopf: a line of more than 1048576 characters"
    ]
