"""The socket of the table in the browser, and the command that serves it."""

import contextlib
import errno
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from types import SimpleNamespace

import pytest

pytest.importorskip("uvicorn")
pytest.importorskip("starlette")

from support.served_table import ROOT, Page, command, ground, live_table, served, until_it_waits

from schafkopf import records, signals
from schafkopf.serve import app as app_module
from schafkopf.serve import server, thinking
from schafkopf.serve.app import TableApp


def test_connections_that_ask_nothing_shut_nobody_out(monkeypatch):
    monkeypatch.setattr(server, "PATIENCE_S", 0.5)
    with served(live_table()) as (app, port), contextlib.ExitStack() as opened:
        silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(101)]
        for one in silent:
            opened.enter_context(one)
        silent[-1].sendall(b"GET / HTTP/1.1\r\nHost: 127")  # a beginning is no request
        seat = Page(app, port)
        deadline = time.monotonic() + 60
        while seat.ask("GET", f"{seat.path}/records")[0] == 503:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert ground(seat.ask("GET", f"{seat.path}/records")) == "no_deal"
        silent[-1].settimeout(60)
        assert silent[-1].recv(100) == b""


def test_a_machine_that_opens_connections_again_and_again_shuts_no_other_out():
    stopped = threading.Event()

    def come_again(port):
        other = ("127.0.0.2", 0)
        while not stopped.wait(0.05):
            with (
                contextlib.suppress(OSError),
                socket.create_connection(("127.0.0.1", port), 60, other) as one,
            ):
                one.settimeout(0.5)
                one.recv(1)

    with served(live_table()) as (app, port):
        visitors = [threading.Thread(target=come_again, args=(port,)) for _ in range(120)]
        for one in visitors:
            one.start()
        try:
            time.sleep(0.5)
            seat = Page(app, port)
            answers = [seat.state(after=-1, take=True)[0] for _ in range(10)]
        finally:
            stopped.set()
            for one in visitors:
                one.join()
    assert answers == [200] * 10


def test_connections_that_are_closed_to_make_room_do_not_count_any_more(monkeypatch):
    counted, impatient = [], server._impatient

    def counting(protocol):
        class Protocol(impatient(protocol)):
            def connection_made(self, transport):
                if not counted:
                    time.sleep(0.5)  # the others come meanwhile, and are taken in one go
                super().connection_made(transport)
                counted.append(len(self.connections))

        return Protocol

    monkeypatch.setattr(server, "_impatient", counting)
    with served(live_table()) as (_, port), contextlib.ExitStack() as opened:
        for _ in range(120):
            opened.enter_context(socket.create_connection(("127.0.0.1", port)))
        end = time.monotonic() + 60
        while len(counted) < 120:
            assert time.monotonic() < end
            time.sleep(0.01)
    assert max(counted) == server._MOST_WAITED_FOR


def test_more_connections_than_the_table_takes_are_told_so():
    with served(live_table()) as (app, port), contextlib.ExitStack() as opened:
        for machine in ("127.0.0.2", "127.0.0.3", "127.0.0.4"):
            for _ in range(40):
                one = socket.create_connection(("127.0.0.1", port), 60, (machine, 0))
                opened.enter_context(one)
        assert Page(app, port).ask("GET", "/")[0] == 503


def closes(opened, seconds=60):
    """Whether the server closes a connection in that time; returns what came before, else None."""
    opened.settimeout(0.1)
    end, came = time.monotonic() + seconds, b""
    while time.monotonic() < end:
        try:
            part = opened.recv(1 << 16)
        except TimeoutError:
            continue
        except ConnectionError:
            return came
        if not part:
            return came
        came += part
    return None


@pytest.mark.parametrize("sent", ["the beginning of a next one", "no body", "bytes now and then"])
def test_a_connection_keeps_its_place_with_a_request_that_comes_whole_and_no_other(
    monkeypatch, sent
):
    monkeypatch.setattr(server, "PATIENCE_S", 0.5)
    with served(live_table()) as (_, port), socket.create_connection(("127.0.0.1", port)) as one:
        head = f"/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n".encode()
        if sent == "no body":
            one.sendall(b"POST " + head + b"Content-Length: 4000\r\n\r\n")
        else:
            one.sendall(b"GET " + head + b"\r\n")
        assert one.recv(1 << 16).startswith(b"HTTP/1.1 4")
        one.sendall(b"G")
        ended = False
        for _ in range(20 if sent == "bytes now and then" else 0):
            time.sleep(0.1)
            try:
                one.sendall(b"E")
            except ConnectionError:
                ended = True
                break
        assert ended or closes(one) is not None


def pipelined(app, port, requests):
    """A connection that asks for the page so many times at once, with little room for answers."""
    opened = socket.socket()
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)
    opened.connect(("127.0.0.1", port))
    path = app.path_of(app.seats[0])
    opened.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode() * requests)
    return opened


def test_a_connection_that_takes_no_answers_is_closed_and_one_that_takes_them_slowly_is_not(
    monkeypatch,
):
    monkeypatch.setattr(server, "PATIENCE_S", 0.5)
    requests = 12  # some megabytes, more than the system keeps for a reader
    with served(live_table()) as (app, port), pipelined(app, port, requests) as one:
        time.sleep(2)
        came = closes(one)
        assert came is not None and came.count(b"HTTP/1.1 200 OK") < requests
        for patience in (2, 10, 40):  # again where the machine stood still for as long
            monkeypatch.setattr(server, "PATIENCE_S", patience)
            answers, left = 0, b""
            with pipelined(app, port, requests) as slow, contextlib.suppress(ConnectionError):
                slow.settimeout(60)
                while answers < requests and (part := slow.recv(1 << 17)):
                    *whole, left = (left + part).split(b"HTTP/1.1 200 OK")
                    answers += len(whole)
                    time.sleep(0.01 * patience)
                    left = left[-14:] if not whole else left
            if answers == requests:
                break
        assert answers == requests


def test_a_message_whose_text_does_not_come_is_refused(monkeypatch):
    monkeypatch.setattr(app_module, "MESSAGE_S", 0.3)
    with served(live_table()) as (app, port), socket.create_connection(("127.0.0.1", port)) as one:
        own = f"127.0.0.1:{port}"
        head = f"POST {app.path_of(app.seats[0])}/act HTTP/1.1\r\nHost: {own}\r\n"
        head += f"Origin: http://{own}\r\nContent-Length: 9\r\n\r\n"
        one.sendall(head.encode() + b"{")
        one.settimeout(60)
        assert one.recv(1 << 16).startswith(b"HTTP/1.1 408")


def test_a_page_that_waits_for_news_may_wait_longer_than_a_silent_one(monkeypatch):
    monkeypatch.setattr(server, "PATIENCE_S", 0.2)
    live = next(one for seed in range(9) if not (one := live_table(seed=seed)).moves_itself)
    with served(live) as (app, port):
        seat, other = Page(app, port), Page(app, port)
        seat.state(take=True)
        answers = []
        waiting = threading.Thread(target=lambda: answers.append(seat.state()))
        waiting.start()
        until_it_waits(app.seats[0])
        time.sleep(1)
        assert not answers and other.post("name", name="Resi")[0] == 200
        waiting.join(60)
        assert answers[0][1]["state"]["place_names"][0] == "Resi"


NO_SUCH_HOST = "no.such.host.invalid"


def no_such_host(monkeypatch):
    """Let the name be unknown at once: a name server may take long, or know every name."""
    real = socket.getaddrinfo

    def getaddrinfo(host, *rest, **kinds):
        if host == NO_SUCH_HOST:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return real(host, *rest, **kinds)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


def test_a_port_in_use_and_an_address_of_others_are_refused(monkeypatch):
    with contextlib.closing(server.listening("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=f"--port {port}: is in use: choose another one"):
            server.listening("127.0.0.1", port)
    no_such_host(monkeypatch)
    for host in ("192.0.2.1", NO_SUCH_HOST, "\udc80"):
        with pytest.raises(ValueError, match=r"--host .*allowed"):
            server.listening(host, 0)


def test_a_kind_of_address_that_the_system_does_not_have_is_refused(monkeypatch):
    def without(*_):
        raise OSError(errno.EAFNOSUPPORT, "Address family not supported by protocol")

    monkeypatch.setattr(socket, "socket", without)
    with pytest.raises(ValueError, match=r"--host ::1: Address family .*, allowed: 127.0.0.1"):
        server.listening("::1", 0)


@pytest.mark.parametrize("host", ["LOCALHOST", "127.1", "127.0.0.1"])
def test_this_machine_is_known_by_every_name_for_it(host):
    with contextlib.closing(server.listening(host, 0)) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"
    assert server.is_local(host)
    assert {"localhost", "127.0.0.1"} <= server.names_of(host) and "" not in server.names_of(host)


def test_it_listens_where_it_was_told_and_nowhere_else():
    with contextlib.closing(server.listening("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with contextlib.closing(socket.socket()) as other, pytest.raises(OSError):
            other.settimeout(2)
            other.connect(("127.0.0.2", port))
    assert (
        server.is_local("127.0.0.1") and server.is_local("::1") and not server.is_local("10.0.0.1")
    )
    assert "" not in server.names_of("localhost") and "" in server.names_of("0.0.0.0")


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("zenzi.lan", "zenzi.lan"),
        ("::1", "[::1]"),
        ("0.0.0.0", "table.lan"),  # of all addresses: nobody can call that one
        ("::", "table.lan"),
        ("0", "table.lan"),
        ("::0", "table.lan"),
    ],
)
def test_the_address_is_one_that_a_browser_can_call(host, name, monkeypatch):
    monkeypatch.setattr(socket, "gethostname", lambda: "table.lan")
    with contextlib.closing(server.listening("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert server.address_of(host, listener) == f"http://{name}:{port}"
    assert name.strip("[]") in server.names_of(host)  # and one that the table answers to


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_prints_a_link_for_each_person_and_keeps_the_deals(tmp_path, number):
    process = command(tmp_path, "--seats", "0", "2", "--seed", "1", "--out", "deals.jsonl")
    try:
        lines = [process.stdout.readline() for _ in range(4)]
        links = re.findall(r"^\w+ \(seat (\d)\): http://127.0.0.1:(\d+)(/t/[\w-]{20,})$",
                           "".join(lines), re.MULTILINE)  # fmt: skip
        assert [seat for seat, _, _ in links] == ["0", "2"], lines
        assert "seed" not in "".join(lines)  # whoever serves plays, and it tells every hand
        connection = http.client.HTTPConnection("127.0.0.1", int(links[0][1]), timeout=60)
        connection.request("GET", links[0][2])  # it stays open
        assert connection.getresponse().status == 200
        process.send_signal(number)
        out = process.communicate(timeout=60)[0]
        connection.close()
    finally:
        process.kill()
    assert process.returncode == 128 + number and "Traceback" not in out
    assert "The deals are in deals.jsonl" in out
    record = next(records.read_records(tmp_path / "deals.jsonl"))
    assert record["meta"]["unfinished"]


def test_guests_see_the_name_of_a_file_of_rules_and_not_where_it_lies(tmp_path):
    (tmp_path / "cellar").mkdir()
    (tmp_path / "cellar" / "mine.toml").write_text('preset = "research"\n')
    process = command(tmp_path, "--rules", "cellar/mine.toml")
    try:
        link = next(filter(None, (re.search(r"http:\S+", line) for line in process.stdout)))[0]
        with urllib.request.urlopen(link, timeout=60) as answer:
            page = answer.read().decode()
    finally:
        process.kill()
        process.communicate()
    assert "mine" in page and "cellar" not in page


def test_signals_end_a_served_table_ignored_ones_do_not_and_handlers_come_back():
    before = {number: signal.getsignal(number) for number in signals.SIGNALS}
    made = server.server_for(TableApp(live_table(), "research"))
    try:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # nohup
        with made.capture_signals():
            signal.raise_signal(signal.SIGHUP)
            assert not made.ended and not made.should_exit
            signal.raise_signal(signal.SIGTERM)
            assert made.ended == [signal.SIGTERM] and made.should_exit
        after = {number: signal.getsignal(number) for number in signals.SIGNALS}
        assert after == before | {signal.SIGHUP: signal.SIG_IGN}
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_a_player_that_thinks_for_long_keeps_nobody_from_ending_the_table(tmp_path):
    engine = tmp_path / "thinks.sh"
    engine.write_text(
        "#!/bin/sh\nwhile read -r word rest; do case $word in\n"
        "hello) echo hello 1 name slow;;\n"
        f"go) touch {tmp_path}/thinks; read -r rest; exit;;\n"
        "esac; done\n"
    )
    player = f"engine:time=60,sh {engine}"
    process = command(tmp_path, "--seed", "2", "--agents", player, "--out", "deals.jsonl")
    try:
        end = time.monotonic() + 60
        while not (tmp_path / "thinks").exists():
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out = process.communicate(timeout=60)[0]
    finally:
        process.kill()
    assert process.returncode == 130 and "The deals are in deals.jsonl" in out
    assert next(records.read_records(tmp_path / "deals.jsonl"))["meta"]["unfinished"]


def test_a_page_that_waits_is_told_that_the_table_is_closed(capfd):
    with served(live_table()) as (app, port):
        seat = Page(app, port)
        assert seat.state(take=True)[0] == 200
        told = []
        waits = threading.Thread(target=lambda: told.append(seat.state(after=app.seats[0].version)))
        seat.asked()
        waits.start()
        until_it_waits(app.seats[0])
    waits.join(60)
    assert [ground(answer) for answer in told] == ["closed"]
    assert capfd.readouterr().err == ""


def test_a_table_whose_deals_are_over_does_not_promise_to_open_again():
    live = live_table(deals=1)
    with served(live) as (app, port):
        seat = Page(app, port)
        assert seat.state(take=True)[0] == 200
        seat.play()
        assert live.is_over
        app.close()
        status, answer = seat.state()
    assert (status, ground((status, answer))) == (503, "over")
    assert "again" not in answer["text"][1] and "wieder" not in answer["text"][0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--seats", "0", "2", "0"], "--seats 0 2 0: a seat stands there twice"),
        (["--seats", "4"], "--seats = 4, allowed: integer 0..3 under these rules"),
        (["--seats", "1", "9"], "--seats = 9, allowed: integer 0..3 under these rules"),
        (["--seats", "0", "left"], '--seats = "left", allowed: integer 0..3 under these rules'),
        (["--agents", "rules", "rules"], "--agents: 2 came"),
        (
            ["--seats", "0", "1", "2", "3", "--agents", "random"],
            "--agents random: people sit at all 4 places, allowed: none, or fewer --seats",
        ),
        (["--host", NO_SUCH_HOST], "no such address"),
        (["--rules", "reserch"], "research"),
        (["--out", "there/deals.jsonl"], "the folder there does not exist"),
    ],
)
def test_wrong_options_are_refused_with_a_sentence(tmp_path, monkeypatch, capsys, arguments, said):
    from schafkopf import cli

    no_such_host(monkeypatch)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["serve", "--port", "0", *arguments]) == cli.WRONG_INPUT
    assert said in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.jsonl"))


def test_without_its_packages_the_command_says_what_to_install():
    code = (
        "import sys; sys.modules['starlette'] = None\n"
        "from schafkopf import cli; sys.exit(cli.main(['serve', '--port', '0']))"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True,
                          text=True, timeout=60)  # fmt: skip
    assert done.returncode == 1 and "pip install 'schafkopf[serve]'" in done.stderr


@pytest.mark.parametrize("room_for_a_thread", [False, True])
def test_a_table_without_memory_ends_and_says_so(monkeypatch, room_for_a_thread):
    live = next(one for seed in range(9) if (one := live_table(seed=seed)).moves_itself)

    def fail(*_):
        raise MemoryError if room_for_a_thread else RuntimeError("can't start new thread")

    if room_for_a_thread:
        live.decision = lambda: fail
    else:
        no_room = SimpleNamespace(Thread=lambda **_: SimpleNamespace(start=fail))
        monkeypatch.setattr(thinking, "threading", no_room)
    app = TableApp(live, "research")
    with (
        contextlib.closing(server.listening("127.0.0.1", 0)) as listener,
        pytest.raises(MemoryError),
    ):
        server.serve(app, listener)


def test_a_fault_in_what_is_shown_ends_the_table_instead_of_stopping_it(monkeypatch):
    live = next(one for seed in range(9) if (one := live_table(seed=seed)).moves_itself)
    app = TableApp(live, "research")

    def fail():
        raise ZeroDivisionError("shown")

    monkeypatch.setattr(app, "_show", fail)
    with (
        contextlib.closing(server.listening("127.0.0.1", 0)) as listener,
        pytest.raises(ZeroDivisionError),
    ):
        server.serve(app, listener)
