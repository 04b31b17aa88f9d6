"""Signals end every command in order, a second one at once."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from support.programs import ROOT, environment

from schafkopf import cli, signals
from schafkopf.commands import exploit, ladder, tournament

STUBBORN = """
import time
from schafkopf import signals
with signals.ending_in_order() as ending:
    ending.last_words = "--resume goes on"
    while True:
        try:
            print("working", flush=True)
            time.sleep(60)
        except KeyboardInterrupt as error:
            print(error, flush=True)
"""


def stubborn(before=""):
    return subprocess.Popen(
        [sys.executable, "-c", before + STUBBORN],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        text=True,
    )


@pytest.mark.parametrize(("first", "second"), [("SIGTERM", "SIGINT"), ("SIGHUP", "SIGTERM")])
def test_the_second_signal_ends_at_once(first, second):
    with stubborn() as process:
        for line, name in (("working", first), (f"ended by {first}", second)):
            assert process.stdout.readline() == line + "\n"
            process.send_signal(getattr(signal, name))
        assert process.wait(60) == 128 + getattr(signal, second)
        assert process.stderr.read() == "\nschafkopf: --resume goes on\n"


# What time it is, the test says: a machine that stands still makes no moment longer.
TOLD_TIME = """
import sys, types
from schafkopf import signals
def monotonic():
    now = float(sys.stdin.readline())
    print("came at", now, flush=True)
    return now
signals.time = types.SimpleNamespace(monotonic=monotonic)
"""


# `timeout` sends its signal to the command and then to the group in which the command is, too.
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_that_comes_twice_in_the_same_moment_counts_once(name):
    number = getattr(signal, name)
    with stubborn(TOLD_TIME) as process:

        def send(now, *lines):
            process.send_signal(number)
            for line in lines:
                assert process.stdout.readline() == line + "\n"
            process.stdin.write(f"{now}\n")
            process.stdin.flush()
            assert process.stdout.readline() == f"came at {now}\n"

        process.stdout.readline()
        send(100.0, {"SIGINT": "interrupted", "SIGTERM": "ended by SIGTERM"}[name], "working")
        send(100.02)
        assert process.poll() is None
        send(100.0 + 2 * signals.SAME_MOMENT)
        assert process.wait(60) == 128 + number
        assert process.stderr.read() == "\nschafkopf: --resume goes on\n"


def test_a_terminal_that_closes_twice_counts_once():
    with stubborn() as process:
        process.stdout.readline()
        process.send_signal(signal.SIGHUP)
        assert process.stdout.readline() == "ended by SIGHUP\n"
        process.send_signal(signal.SIGHUP)
        time.sleep(0.2)
        assert process.poll() is None
        process.kill()


def test_an_ignored_hangup_stays_ignored():
    code = (
        "import os, signal; from schafkopf import signals\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "with signals.ending_in_order(): os.kill(os.getpid(), signal.SIGHUP)\n"
        "print('still here')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout == "still here\n"


LOADED = """
import os, signal, sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPTED_AT"]:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
"""
SCRIPT = (
    "import sys\nfrom schafkopf.__main__ import program\nsys.exit(program())\n"  # as pip has it
)


@pytest.mark.parametrize("begun_as", ["script", "schafkopf", "schafkopf.cli"])
@pytest.mark.parametrize(
    "module",
    ["schafkopf._core", "numpy", "numpy.linalg", "schafkopf.tournaments", "schafkopf.commands"],
)
def test_ctrl_c_in_the_first_moments_of_a_command_ends_it_in_order(tmp_path, begun_as, module):
    (tmp_path / "sitecustomize.py").write_text(LOADED)
    (tmp_path / "schafkopf").write_text(SCRIPT)
    program = [tmp_path / "schafkopf"] if begun_as == "script" else ["-m", begun_as]
    environ = environment()
    environ |= {"INTERRUPTED_AT": module}
    environ["PYTHONPATH"] = f"{tmp_path}{os.pathsep}{environ['PYTHONPATH']}"
    done = subprocess.run(
        [sys.executable, *program, "rules", "list"], env=environ, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "schafkopf: interrupted\n")


def test_ctrl_c_while_the_package_is_imported_is_that_of_the_importing_program(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(LOADED)
    environ = environment() | {"INTERRUPTED_AT": "schafkopf.tournaments"}
    environ["PYTHONPATH"] = f"{tmp_path}{os.pathsep}{environ['PYTHONPATH']}"
    code = "try:\n    import schafkopf\nexcept KeyboardInterrupt:\n    print('mine')"
    words = [sys.executable, "-c", code, "-m", "schafkopf"]
    done = subprocess.run(words, env=environ, capture_output=True, text=True, check=True)
    assert done.stdout == "mine\n"


def test_a_signal_in_the_middle_of_an_import_waits_for_its_end(tmp_path, monkeypatch):
    outer = "import inner_of_signals\nwhole = True\n"
    inner = "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\nwhole = True\n"
    (tmp_path / "outer_of_signals.py").write_text(outer)
    (tmp_path / "inner_of_signals.py").write_text(inner)
    monkeypatch.syspath_prepend(tmp_path)
    tracing, went_on = sys.gettrace(), False
    with pytest.raises(signals.Ended, match="ended by SIGTERM"), signals.ending_in_order():
        import outer_of_signals  # noqa: F401

        went_on = True
    assert not went_on
    assert all(sys.modules[f"{name}_of_signals"].whole for name in ("outer", "inner"))
    assert sys.gettrace() is tracing


def test_a_signal_while_the_handlers_are_put_back_leaves_nothing_out(monkeypatch):
    came = []
    before = signal.signal(signal.SIGTERM, lambda number, _: came.append(number))
    threads = threading.active_count()
    real = signal.signal
    try:
        with signals.ending_in_order():

            def interrupted(number, handler):
                monkeypatch.undo()  # once: the second one ends the process
                signal.raise_signal(signal.SIGTERM)
                return real(number, handler)

            monkeypatch.setattr(signal, "signal", interrupted)
        assert signal.SIGTERM in came, "the signal is lost"
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert signal.set_wakeup_fd(-1) == -1
        assert threading.active_count() == threads
    finally:
        real(signal.SIGTERM, before)


@pytest.mark.parametrize("name", signals.NAMES)
@pytest.mark.parametrize(
    ("words", "code"), [(["rules", "list"], 0), (["rules", "show", "nowhere"], 2)]
)
def test_a_signal_while_the_interpreter_ends_changes_no_exit_code(words, code, name):
    program = (
        "import atexit, os, signal, sys; from schafkopf.cli import main\n"
        f"atexit.register(os.kill, os.getpid(), signal.{name})\n"
        f"sys.argv[1:] = {words}\n"
        "sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
@pytest.mark.parametrize(
    "arguments",
    [
        ["tournament", "--agents", "rules", "random", "--blocks", "100000"],
        ["exploit", "rules", "--endgames", "20", "--updates", "5"],
        ["ladder", "--short", "--out", "ladder"],
    ],
    ids=lambda words: words[0],
)
def test_commands_end_with_a_message(arguments, number, code, tmp_path, monkeypatch, capsys):
    """The signal comes with the first piece of work."""

    sent = []

    def end(*_):
        if not sent:
            sent.append(number)
            os.kill(os.getpid(), number)

    monkeypatch.chdir(tmp_path)
    for module in (tournament, exploit, ladder):
        monkeypatch.setattr(module, "ProgressLine", lambda *_: end)
    assert cli.main(arguments) == code
    message = "interrupted" if code == 130 else f"ended by {number.name}"
    assert capsys.readouterr().err.endswith(f"schafkopf: {message}\n")


def test_what_must_not_be_torn_apart_comes_to_its_end():
    done = []
    with pytest.raises(signals.Ended, match="ended by SIGTERM"), signals.ending_in_order():
        with signals.held_back():
            os.kill(os.getpid(), signal.SIGTERM)
            done.append("whole")
        done.append("not any more")
    assert done == ["whole"]


LONG_CALLS = {
    "step_random": "env.step_random(2**31 - 1)",
    "rollout": "game.rollout(2**31 - 1)",
    "sample": "search.WorldSampler(view).sample(10**7)",
    "inferred_worlds": 'search.inferred_worlds(view, "rules", drawn=10**7, kept=5)',
    "search_cards": "search.search_cards(view, worlds=100_000)",
    "pimc": 'agent("pimc:100000").act(view)',
    "ismcts": 'agent("ismcts:10000000").act(view)',
    "beliefs": 'agent("rules+endgame:trick=1,worlds=100000,beliefs=rules").act(view)',
    "net+search": 'agent("net+search:baseline,worlds=10000,top=8,leaf=playout").policy(view)',
    "bids": 'agent("pimc:100000,bidding=worlds").act(bids)',
    "Kontra": 'agent("pimc:100000,kontra=worlds").act(kontra, rules=rich)',
    "threads": 'schafkopf.make_agent("pimc:100000", num_threads=2).act(np.repeat(view, 64))',
    "endgame_list": 'schafkopf.exploitation.endgame_list("research", 2, 200_000, 1)',
    "agent_actions": 'table.agent_actions(agent("pimc:100000"))',
    "exploit": 'schafkopf.exploit("rules", endgames=10_000)',
    "Solver": "search.Solver(65536).fewest_points(ramsch, 0)",
    "EngineSession": "talk()",
    "a player at work": "busy.act(view)",
    "a Solver at work": "asked.points(game)",
}
LONG_STEPS = {
    "step": "torn.step(torn.random_actions())",
    "step_random": "torn.step_random(1000)",
    "reset": "torn.reset()",
}
LONG_CALL = '''
import signal, threading, time, os
import numpy as np
import schafkopf
from schafkopf import make_agent as agent
from schafkopf import search
env = schafkopf.VectorEnv(4, seed=1)
game = schafkopf.Game.with_contract({"class": "SOLO", "suit": "E", "declarer": 1}, seed=3)
while game.legal_mask().sum() < 3: game.apply(game.legal_actions()[0])
bids = schafkopf.Game(seed=2)
bids = bids.view(bids.current_player)
kontra = schafkopf.Game.with_contract(
    {"class": "SOLO", "suit": "E", "declarer": 1}, "wikipedia_extended", seed=3
)
while "DOUBLE" not in kontra.legal_names(): kontra.apply(kontra.legal_actions()[0])
kontra, rich = kontra.view(kontra.current_player), "wikipedia_extended"
table = schafkopf.VectorEnv(
    2, seed=1, view_lines=True, start="card_play", generator="mixed:all_pass=0"
)
view = game.view(game.current_player)
ramsch = schafkopf.Game.with_contract(
    "RAMSCH", schafkopf.RuleSet("research", all_pass="ramsch"), seed=5
)
def talk():
    session = schafkopf._core.EngineSession(agent("pimc:100000"))
    lines = open("PAGE").read().split("```text\\n")[1].split("```")[0].splitlines()
    for line in lines:
        if line[0] == ">": session.answer(line[2:])
class Busy:
    def act(self, views):
        time.sleep(100)
        return schafkopf.legal_mask(views).argmax(axis=1)
busy = agent(Busy())
if "busy" in """CALL""":
    threading.Thread(target=busy.act, args=(view,), daemon=True).start()
    time.sleep(0.2)
asked = search.Solver(65536)
if "asked" in """CALL""":
    threading.Thread(target=asked.fewest_points, args=(ramsch, 0), daemon=True).start()
    time.sleep(0.2)
def interrupt():
    time.sleep(0.4)
    sent.extend((time.monotonic(), time.process_time()))
    os.kill(os.getpid(), signal.SIGINT)
sent = []
try:
    threading.Thread(target=interrupt).start()
    CALL
except KeyboardInterrupt:
    wall, cpu = time.monotonic() - sent[0], time.process_time() - sent[1]
    print(f"ended after {wall:.2f} s, {cpu:.2f} s of the processor")
else:
    print("was not ended")
game.rollout(3), env.step_random(3)  # go on as before
'''


def run_code(code):
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def seconds_until_ended(code):
    """Return how long after SIGINT a program said that it ended, in time of the processor: another
    program may have that meanwhile. A call that only waits takes none of it."""
    done = run_code(code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ended after"), done.stdout
    words = done.stdout.split()
    assert float(words[2]) < 60
    return float(words[4])


@pytest.mark.parametrize("name", LONG_CALLS)
def test_ctrl_c_ends_a_long_call_of_the_engine(name):
    page = ROOT / "agents" / "engine" / "PROTOCOL.md"
    code = LONG_CALL.replace("CALL", LONG_CALLS[name]).replace("PAGE", str(page))
    assert seconds_until_ended(code) < 3


TOO_LATE = """
import signal
import schafkopf
def raise_(*_): raise TimeoutError("too late")
session = schafkopf._core.EngineSession(schafkopf.make_agent("pimc:100000"))
lines = open("PAGE").read().split("```text\\n")[1].split("```")[0].splitlines()
signal.signal(signal.SIGALRM, raise_)
try:
    signal.alarm(1)
    for line in lines:
        if line[0] == ">": session.answer(line[2:])
except TimeoutError as error:
    print(error)
"""


def test_what_a_handler_raises_is_no_answer_of_an_engine():
    page = ROOT / "agents" / "engine" / "PROTOCOL.md"
    assert run_code(TOO_LATE.replace("PAGE", str(page))).stdout == "too late\n"


ASKS_AGAIN = """
import os, signal, threading, time
import schafkopf
rules = schafkopf.RuleSet("research", all_pass="ramsch")
game = schafkopf.Game.with_contract("RAMSCH", rules, seed=5)
solver = schafkopf.search.Solver(65536)
signal.signal(signal.SIGTERM, lambda *_: solver.fewest_points(game, 0))
def end_while_it_is_asked():
    clock = time.pthread_getcpuclockid(threading.main_thread().ident)
    begun = time.clock_gettime(clock)
    while time.clock_gettime(clock) < begun + 0.2: time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)
    os._exit(3)
threading.Thread(target=end_while_it_is_asked, daemon=True).start()
try:
    solver.fewest_points(game, 0)
except RuntimeError as error:
    print(error)
"""


def test_a_handler_that_asks_the_solver_that_it_interrupts_is_told_so():
    done = run_code(ASKS_AGAIN)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("this Solver was asked while it is being asked"), done.stdout


LONG_STEP = """
import signal, threading, time, os
import schafkopf
torn = schafkopf.VectorEnv(2, opponent="pimc:3000", learner_seat=0, seed=1, auto_reset="same_step")
def interrupt():
    time.sleep(0.4)
    sent.extend((time.monotonic(), time.process_time()))
    os.kill(os.getpid(), signal.SIGINT)
sent = []
try:
    threading.Thread(target=interrupt).start()
    while True:
        CALL
except KeyboardInterrupt:
    wall, cpu = time.monotonic() - sent[0], time.process_time() - sent[1]
    print(f"ended after {wall:.2f} s, {cpu:.2f} s of the processor")
try:  # a reset may have come to its end before it was interrupted: then the step searches again
    threading.Thread(target=interrupt).start()
    try:
        torn.step(torn.random_actions())
    except RuntimeError as error:
        assert "until reset()" in str(error)
    time.sleep(60)
except KeyboardInterrupt:
    pass
"""


@pytest.mark.parametrize("name", LONG_STEPS)
def test_ctrl_c_ends_a_step_whose_opponents_search_for_long(name):
    code = LONG_STEP.replace("CALL", LONG_STEPS[name])
    assert seconds_until_ended(code) < 6


DAEMON = """
import threading, time
import numpy as np
import schafkopf
class Mine:
    def act(self, views):
        time.sleep(0.001)
        return [np.flatnonzero(mask)[0] for mask in schafkopf.actions.legal_mask(views)]
game = schafkopf.Game(seed=1)
view = schafkopf.Game.with_contract({"class": "SOLO", "suit": "H", "declarer": 0}, seed=1).view(0)
env = schafkopf.VectorEnv(64, seed=1, num_threads=THREADS)
env.reset()
asked = schafkopf.VectorEnv(64, seed=1, learner_seat=0, opponent=Mine(), num_threads=THREADS)
rules = schafkopf.make_agent("rules")
def work():
    while True: CALL
threading.Thread(target=work, daemon=True).start()
time.sleep(0.6)
"""
DAEMONS = {
    "rollouts": "game.rollout(10**9)",
    "steps": "env.step(env.random_actions())",
    "own_player": "asked.step_random(10)",
    "tournament": "schafkopf.tournament(['rules', 'random'], blocks=50)",
    "own_player_in_a_tournament": "schafkopf.tournament({'me': Mine(), 'r': 'rules'}, blocks=9)",
    "callback": "schafkopf.tournament(['rules', 'random'], blocks=50, progress=lambda *_: 0)",
    "worlds": "schafkopf.search.search_cards(view, worlds=9)",
    "short_calls": "schafkopf.legal_mask(view)",
    "resets": "env.reset()",
    "answers": "rules.act(view)",
}


# One that asked for the GIL then was ended in the middle of C++, which is an abort().
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", DAEMONS)
def test_a_daemon_thread_in_the_engine_lets_the_interpreter_end(name, threads):
    done = run_code(DAEMON.replace("CALL", DAEMONS[name]).replace("THREADS", str(threads)))
    assert (done.returncode, done.stderr) == (0, "")


JOINED_AT_THE_END = """
import atexit, threading, time
stop = threading.Event()
def end():
    stop.set()
    thread.join()
    print("joined")
atexit.register(end)  # runs behind what the package does at the end
import schafkopf
view = schafkopf.Game(seed=1).view(0)
def work():
    while not stop.is_set(): schafkopf.legal_mask(view)
thread = threading.Thread(target=work, daemon=True)
thread.start()
time.sleep(0.2)
"""


def test_a_thread_that_the_end_of_the_program_waits_for_goes_on():
    done = run_code(JOINED_AT_THE_END)
    assert (done.returncode, done.stdout, done.stderr) == (0, "joined\n", "")


IMPORTED_ELSEWHERE = """
import importlib, threading
worker = threading.Thread(target=importlib.import_module, args=("schafkopf",))
worker.start()
worker.join()
import schafkopf
class Player:
    def act(self, views):
        return schafkopf.legal_mask(views).argmax(axis=1)
agent = schafkopf.make_agent(Player())
env = schafkopf.VectorEnv(2, opponent=Player(), learner_seat=0)
env.reset(seed=1)
print("played")
"""


def test_the_interpreter_ends_where_another_thread_imported_the_package():
    done = run_code(IMPORTED_ELSEWHERE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "played\n", "")


FORKED_AT_WORK = """
import os, threading, time
import schafkopf
rules = schafkopf.RuleSet("research", all_pass="ramsch")
game = schafkopf.Game.with_contract("RAMSCH", rules, seed=5)
solver = schafkopf.Solver()
worker = threading.Thread(target=solver.fewest_points, args=(game, 0), daemon=True)
worker.start()
clock = time.pthread_getcpuclockid(worker.ident)
while time.clock_gettime(clock) < 0.2:  # one call of many seconds: it is not between two
    time.sleep(0.01)
if os.fork() == 0:
    def ask():
        try:
            solver.fewest_points(game, 0)
        except RuntimeError as error:
            print(error, flush=True)
    thread = threading.Thread(target=ask)  # has the stack, and so the number, of the one that asked
    thread.start()
    thread.join()
    ask()
    os._exit(0)
os.wait()
os._exit(0)
"""


def test_a_thread_of_a_forked_child_is_not_taken_for_one_of_the_parent():
    said = run_code(FORKED_AT_WORK).stdout.splitlines()
    assert len(said) == 2 and said[0] == said[1]
    assert "was at work in another thread when the process was forked" in said[0]


IN_A_SUBINTERPRETER = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
other = interpreters.create()
print(interpreters.run_string(other, "import schafkopf"))
"""


def test_a_subinterpreter_is_told_that_it_cannot_import_the_package():
    done = run_code(IN_A_SUBINTERPRETER)
    said = done.stdout + done.stderr
    assert (
        "InSubinterpreter" in said and "in a subinterpreter, allowed: the main interpreter" in said
    )
