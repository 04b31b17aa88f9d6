"""Several processes train together: started by hand, by torchrun, and what happens if one dies."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.programs import TRAINER, environment, needs_program
from support.training import SMALL, as_options, needs_training

ROOT = Path(__file__).resolve().parents[3]
SETTINGS = SMALL | {"decisions_limit": 5000, "checkpoint_minutes": 60}


def settings(**changes):
    return as_options(SETTINGS | changes)


HELD = []


@pytest.fixture(autouse=True)
def ports_let_go():
    yield
    while HELD:
        HELD.pop().close()


def free_port():
    """Find a port and hold it to the end of the test, so that no other process is given it.

    It is bound and not listened at: with SO_REUSEADDR the group takes it all the same.
    """
    place = socket.socket()
    HELD.append(place)
    place.bind(("127.0.0.1", 0))
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # after: it shall be one of its own
    return place.getsockname()[1]


def test_a_port_that_was_found_is_kept_from_others_until_the_group_listens():
    port = free_port()
    with socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind(("127.0.0.1", port))
    for kind, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::")):
        with socket.socket(kind) as group:  # as PyTorch does
            group.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            group.bind((host, port))
            group.listen()


def processes(command, size=2, **variables):
    """Start a command as every process of a group, as torchrun would."""
    group = {"WORLD_SIZE": size, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port()}
    started = []
    for rank in range(size):
        own = {name: str(value) for name, value in (group | {"RANK": rank} | variables).items()}
        started.append(
            subprocess.Popen(
                list(map(str, command)),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=environment() | own,
                cwd=ROOT,
            )
        )
    return started


def end_all(started):
    """Let nothing be left of what was started, also where a test fails."""
    for process in started:
        process.kill()
        process.communicate()


def ends(started, seconds=240):
    """Return exit code and standard error of each."""
    try:
        texts = [process.communicate(timeout=seconds)[1] for process in started]
    finally:
        end_all(started)
    return [(process.returncode, text) for process, text in zip(started, texts, strict=True)]


# Why a process does not meet the others at a host. It tries for a minute.
LONELY = {
    "127.0.0.1": "timed out after ",
    "none.invalid": "; the name none.invalid leads nowhere: ",
}


@pytest.fixture(scope="module", autouse=True)
def waiting(tmp_path_factory):
    """Let processes try to meet others while the other tests of this file run."""
    runs, started = tmp_path_factory.mktemp("lonely"), []
    for host in LONELY:
        run = [sys.executable, "-m", "schafkopf", "train", "--out", runs / host, *settings()]
        started += processes(run, size=1, WORLD_SIZE=2, RANK=1, MASTER_ADDR=host)
    ports = HELD[:]
    HELD.clear()  # for as long as they try
    yield runs, started
    end_all(started)
    for port in ports:
        port.close()


@needs_training
@needs_program
def test_two_programs_train_one_network_and_one_resumes(tmp_path):
    run = tmp_path / "run"
    both = ends(processes([TRAINER, "--out", run, *settings()]))
    assert [code for code, _ in both] == [0, 0], both
    assert both[1][1] == "", "only process 0 speaks"
    lines = updates_of(run)
    for size, limit in ((2, 8000), (1, 11000)):
        more = [TRAINER, "--resume", run, "--set", f"decisions_limit={limit}"]
        done = ends(processes(more, size=size))
        assert [code for code, _ in done] == [0] * size, done
        before, lines = lines, updates_of(run)
        assert lines[: len(before)] == before and len(lines) > len(before)


def updates_of(run):
    """Return the lines of the metrics: one for each update, of 64 games by all processes."""
    lines = (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    assert [f'"update":{n},' in line for n, line in enumerate(lines, 1)] == [True] * len(lines)
    assert f'"games":{64 * len(lines)},' in lines[-1]
    return lines


@needs_training
@needs_program
@pytest.mark.parametrize("killed", [0, 1])
def test_a_killed_process_ends_the_run_with_a_checkpoint(tmp_path, killed):
    run = tmp_path / "run"
    command = [TRAINER, "--out", run, *settings(decisions_limit=10**9)]
    started = processes(command)
    left = started[1 - killed]
    metrics = run / "metrics.jsonl"
    try:
        end = time.monotonic() + 240
        while not metrics.is_file() or metrics.read_bytes().count(b"\n") < 3:
            states = [process.poll() for process in started]
            assert states == [None, None] and time.monotonic() < end, states
            time.sleep(0.02)
        status = Path(f"/proc/{left.pid}/status").read_text()
        ignored = int(status.partition("SigIgn:")[2].split()[0], 16)
        # else a write to the one that is gone may end this one before it has said and kept anything
        assert ignored >> (signal.SIGPIPE - 1) & 1
        started[killed].send_signal(signal.SIGKILL)
        _, text = left.communicate(timeout=240)
    finally:
        end_all(started)
    assert started[killed].returncode == -signal.SIGKILL
    assert left.returncode == 1, text
    # now and then Gloo misses the end of the connection, and only its time limit tells
    reasons = "ended (", "not answered for 25 s: it has ended or hangs, or its machine"
    assert any(f"process {1 - killed} of 2: another process has {why}" in text for why in reasons)
    if killed == 1:
        assert f"{run} has the checkpoint of update " in text
        done = metrics.read_bytes().count(b"\n")
        assert f"update {done}: resume it" in text
    again = subprocess.run(
        [TRAINER, "--resume", run, "--set", "decisions_limit=1"],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert again.returncode == 0, again.stderr  # the checkpoint is whole


@needs_training
@needs_program
@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"MASTER_ADDR": ""}, "MASTER_ADDR = nothing (environment), allowed: "),
        ({"RANK": 2}, "RANK = 2 (environment), allowed: 0..1 (WORLD_SIZE = 2)"),
        ({"WORLD_SIZE": "two"}, "WORLD_SIZE = two (environment), allowed: 1..65536"),
    ],
)
def test_a_wrong_group_is_refused_before_anything_is_written(tmp_path, variables, message):
    run = tmp_path / "run"
    command = [TRAINER, "--out", run, *settings()]
    for code, text in ends(processes(command, **variables)):
        assert code == 2
        assert message in text
    assert not run.exists()


@needs_training
def test_torchrun_starts_the_command(tmp_path):
    run = tmp_path / "run"
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2"]
    command += [f"--master-port={free_port()}", "-m", "schafkopf", "train", "--no-tournament"]
    started = subprocess.Popen(
        [*command, "--out", run, *settings()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        cwd=ROOT,
        start_new_session=True,  # its workers end with it
    )
    try:
        said, error = started.communicate(timeout=400)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGKILL)
    assert started.returncode == 0, error
    assert said.count("trained ") == 1, "only process 0 speaks"
    assert "on 2 workers" in said
    assert (run / "learning_curve.png").is_file()


# torch logged a page of its stack for every try; where the name is wrong it says no reason.
@needs_training
def test_processes_that_do_not_meet_say_so_in_a_line(waiting):
    runs, started = waiting
    for (host, reason), (code, text) in zip(LONELY.items(), ends(started), strict=True):
        assert code == 1
        assert text.startswith(
            f"schafkopf: process 1 of 2 cannot meet the others at MASTER_ADDR = {host}"
        )
        assert reason in text and text.count("\n") == 1
    assert list(runs.iterdir()) == []
