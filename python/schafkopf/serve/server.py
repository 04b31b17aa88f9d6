"""The listening socket of a table, and the loop that serves it."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import importlib
import ipaddress
import signal
import socket
import threading
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from schafkopf import extras, signals
from schafkopf.serve.app import TableApp

_MOST_CONNECTIONS = 100
_MOST_WAITED_FOR = 50  # of them that one machine has, and neither asks nor takes its answer
PATIENCE_S = 10.0  # with a connection that neither asks nor takes its answer
_LEAST_TAKEN = 1 << 14  # bytes of an answer in that time, of somebody who reads slowly
_SEND_BUFFER = 1 << 16  # bytes; with megabytes in the system slow readers look like none
_LOCAL_NAMES = {"localhost", "127.0.0.1", "::1"}


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address of this machine and nowhere else.

    Args:
        port: 0 = a free one.

    Raises:
        ValueError: names the address and what is wrong with it, such as a port in use.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise ValueError(
            f"--host {host}: no such address, allowed: one of this machine, as 127.0.0.1"
        ) from None
    family, kind, protocol, _, address = found[0]
    try:
        made = socket.socket(family, kind, protocol)
    except OSError as error:  # an address of IPv6, where the system has none
        raise ValueError(f"--host {host}: {error.strerror}, allowed: 127.0.0.1") from None
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)  # connections inherit it
    try:
        made.bind(address)
        made.listen(_MOST_CONNECTIONS)
    except OSError as error:
        made.close()
        what = {
            errno.EADDRINUSE: "is in use: choose another one, or 0 for a free one",
            errno.EACCES: "needs special rights: choose one from 1024 on, or 0 for a free one",
        }.get(error.errno or 0)
        if what:
            raise ValueError(f"--port {port}: {what}") from None
        raise ValueError(f"--host {host}: {error.strerror}, allowed: 127.0.0.1") from None
    return made


def address_of(host: str, listener: socket.socket) -> str:
    """Return where a browser finds a listening table, "http://127.0.0.1:8732"."""
    name = f"[{host}]" if ":" in host else host
    number = _number(host)
    if number is not None and number.is_unspecified:
        name = socket.gethostname()
    return f"http://{name}:{listener.getsockname()[1]}"


def is_local(host: str) -> bool:
    """Whether an address is reached from this machine only."""
    number = _number(host)
    return host.casefold() == "localhost" if number is None else number.is_loopback


def _number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return an address in numbers, "127.1" is one too; None = it is a name."""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host)
    with contextlib.suppress(OSError, UnicodeError):
        return ipaddress.ip_address(socket.inet_aton(host))
    return None


def names_of(host: str) -> set[str]:
    """Names in a Host under which a table listens; "" stands for all numbers.

    A name that somebody else's server could lend to this machine is none of them.
    """
    if is_local(host):
        return _LOCAL_NAMES | {host.casefold()}
    return _LOCAL_NAMES | {host.casefold(), socket.gethostname().casefold(), ""}


def serve(app: TableApp, listener: socket.socket) -> None:
    """Serve until a signal comes.

    Raises:
        signals.Ended: when everything is closed.  MemoryError: there was not enough to go on.
    """
    server = server_for(app)
    server.run(sockets=[listener])
    if app.failure is not None:
        raise app.failure
    if server.ended:
        raise signals.Ended(server.ended[0])


@contextlib.contextmanager
def serving(app: TableApp, port: int = 0) -> Iterator[str]:
    """Serve on this machine from a thread, as long as the context lasts; gives the address."""
    app.hosts = names_of("127.0.0.1")
    server = server_for(app)
    with contextlib.closing(listening("127.0.0.1", port)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield address_of("127.0.0.1", listener)
        finally:
            server.should_exit = True
            thread.join()


def server_for(app: TableApp) -> Any:
    """Return the uvicorn.Server of a table; `ended` has the signals that ended it."""
    uvicorn = extras.load_extra("uvicorn", "serve", "starlette uvicorn")
    http = importlib.import_module("uvicorn.protocols.http.h11_impl")
    config = uvicorn.Config(
        app.asgi,
        http=_impatient(http.H11Protocol),
        log_level="critical",
        log_config=None,
        access_log=False,
        ws="none",
        server_header=False,
        date_header=False,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=16384,
    )
    server = _ending(uvicorn.Server, app)(config)

    def end() -> None:
        server.should_exit = True

    app.end = end
    return server


def _impatient(protocol: Any) -> Any:
    """Return a protocol of uvicorn whose connections are closed when nothing comes of them."""

    class Protocol(protocol):  # type: ignore[misc]
        """Closes a connection that neither asks nor takes its answer: some hundred of them would
        shut everybody out. uvicorn's own clock stops for good at the first byte of a next request.
        """

        _clock: asyncio.TimerHandle | None = None  # runs as long as the other side is waited for
        _left = 0  # bytes of an answer that it had not taken when the clock began

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._make_room()
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._stop_clock()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._watch()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._watch()

        def resume_writing(self) -> None:
            super().resume_writing()
            self._stop_clock()
            self._watch()

        def _make_room(self) -> None:
            """Close the connection of the same machine that has been waited for longest, where it
            has many: opened again and again they would shut out all others for good."""
            own = self._machine()
            waited_for = [one for one in self.connections if one._clock and one._machine() == own]
            if len(waited_for) >= _MOST_WAITED_FOR:
                oldest = min(waited_for, key=lambda one: one._clock.when())
                oldest._stop_clock()
                oldest.transport.abort()
                self.connections.discard(oldest)  # else it counts until the loop comes round to it

        def _machine(self) -> str:
            return self.client[0] if self.client else ""

        def _watch(self) -> None:
            """Start the clock where the other side is waited for; bytes of a request that never
            becomes one do not set it back."""
            is_asked = self.cycle is not None and not self.cycle.response_complete
            if is_asked and not self.flow.write_paused:
                self._stop_clock()
            elif self._clock is None:
                self._left = self.transport.get_write_buffer_size()
                self._clock = self.loop.call_later(PATIENCE_S, self._lose_patience)

        def _stop_clock(self) -> None:
            if self._clock is not None:
                self._clock.cancel()
                self._clock = None

        def _lose_patience(self) -> None:
            self._clock = None
            if self._left - self.transport.get_write_buffer_size() >= _LEAST_TAKEN:
                self._watch()
            else:  # close() would wait until everything is taken
                self.transport.abort()

    return Protocol


def _ending(uvicorn_server: Any, app: TableApp) -> Any:
    """Return a server of uvicorn that closes the table and tells what signals ended it."""

    class Server(uvicorn_server):  # type: ignore[misc]
        ended: Sequence[int] = ()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            app.close()
            await super().shutdown(sockets)

        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Ask for the end, as the handlers of the command line may stop it anywhere."""
            if threading.current_thread() is not threading.main_thread():
                yield
                return
            before = {number: signal.getsignal(number) for number in signals.SIGNALS}
            taken = [n for n in before if before[n] not in (signal.SIG_IGN, None)]
            for number in taken:
                signal.signal(number, self._stop)
            try:
                yield
            finally:
                for number in taken:
                    signal.signal(number, before[number])

        def _stop(self, number: int, _: FrameType | None) -> None:
            self.ended = [*self.ended, number]
            self.should_exit = True

    return Server
