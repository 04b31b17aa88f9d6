"""The door of a table to the browser: what comes in is checked here, or refused with a sentence."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import math
import secrets
import sys
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any

from schafkopf import extras, pictures
from schafkopf.say import harmless_lines
from schafkopf.serve import maxims, page, words
from schafkopf.serve.guard import Guard, refusal
from schafkopf.serve.live import LiveTable
from schafkopf.serve.refused import Refused
from schafkopf.serve.thinking import in_thread

POLL_S = 20.0  # a page asks again after that long without news
AWAY_S = 10.0  # a page that has not asked for so long is not waited for
MOST_POLLS = 8  # of one seat at a time
MOST_BYTES = 4096  # of a message
MESSAGE_S = 10.0  # until all of it has come
_TRICK_PAUSES = 2.5  # a finished trick is looked at that much longer

extras.load_extra("starlette", "serve", "starlette uvicorn")

from starlette.applications import Starlette  # noqa: E402
from starlette.requests import ClientDisconnect, Request  # noqa: E402
from starlette.responses import (  # noqa: E402
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
)
from starlette.routing import Route  # noqa: E402
from starlette.types import ASGIApp  # noqa: E402

Handler = Callable[["Seat", Request], Awaitable[Response]]


class Seat:
    """A person's place at the table with the secret of its link.

    Attributes:
        client: the page that plays here; a page that is opened later takes the place over.
        seen: when its page last asked, in seconds of the loop; a page that waits asks all the time.
        version: of what the page shows; another one whenever that changes.
    """

    def __init__(self, place: int, token: str = "") -> None:
        self.place = place
        self.token = token or secrets.token_urlsafe(16)
        self.client = ""
        self.version = secrets.randbelow(1 << 30)  # a page may have one of an earlier server
        self.shown = ""
        self.polls = 0
        self.seen = -math.inf

    def is_there(self, now: float) -> bool:
        """Whether somebody has the page open."""
        return self.polls > 0 or now - self.seen < AWAY_S


class TableApp:
    """The table as an ASGI application.

    Args:
        table: whose people get a seat with a link each.
        title: of the rules, for the page.
        language: in which the page begins.
        pause_s: seconds before an agent acts.
        is_local: whether nobody but this machine can reach the table, which the page says.
        tokens: of the links, of a table that is opened again.
    """

    def __init__(
        self,
        table: LiveTable,
        title: str = "",
        language: str = "de",
        pause_s: float = 0.0,
        is_local: bool = True,
        tokens: Sequence[str] = (),
    ) -> None:
        self.table = table
        given = itertools.chain(tokens, itertools.repeat(""))
        self.seats = [Seat(place, token) for place, token in zip(table.people, given, strict=False)]
        self.hosts: set[str] = set()  # names under which it may be asked; "" = all numbers
        self._title, self._language, self._pause_s = title, language, pause_s
        self._is_local = is_local
        self._is_closed = False
        self.failure: BaseException | None = None  # what ended the table
        self.end: Callable[[], None] = lambda: None  # called then
        self._changed = asyncio.Event()
        self._wake = asyncio.Event()
        self._thinking = asyncio.Lock()  # agents are asked one after the other
        self._show()
        routes = [
            Route("/t/{token}", self._at(self._page)),
            Route("/t/{token}/", self._at(self._page)),
            Route("/t/{token}/state", self._at(self._state)),
            Route("/t/{token}/act", self._at(self._act), methods=["POST"]),
            Route("/t/{token}/next", self._at(self._next), methods=["POST"]),
            Route("/t/{token}/name", self._at(self._name), methods=["POST"]),
            Route("/t/{token}/hint", self._at(self._hint), methods=["POST"]),
            Route("/t/{token}/records", self._at(self._records)),
            Route("/t/{token}/replay", self._at(self._replay)),
            Route("/{path:path}", self._stranger, methods=["GET", "POST"]),
        ]
        self.asgi: ASGIApp = Guard(Starlette(routes=routes, lifespan=self._lifespan), self)

    def path_of(self, seat: Seat) -> str:
        return f"/t/{seat.token}"

    @property
    def tokens(self) -> list[str]:
        """Of the links, in the order of the seats."""
        return [seat.token for seat in self.seats]

    def close(self) -> None:
        """Tell the pages that wait for news that the table is closed."""
        self._is_closed = True
        self._changed.set()

    # ---- what happens by itself ------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        asyncio.get_running_loop().set_exception_handler(self._note_exception)
        task = asyncio.create_task(self._run())
        task.add_done_callback(self._note_failure)
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):  # see _note_failure
                await task

    def _note_failure(self, task: asyncio.Task[None]) -> None:
        """End the server: without this task nobody acts any more, and no page would say so."""
        if not task.cancelled() and (error := task.exception()) is not None:
            self.failure = error
            self.end()

    def _note_exception(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """End the server without memory, where asyncio would print where it was."""
        error = context.get("exception")
        if not isinstance(error, MemoryError):
            loop.default_exception_handler(context)
            return
        self.failure = self.failure or error
        self.end()

    async def _run(self) -> None:
        """Let agents act, with the pauses that people need to see what happens."""
        pause = 0.0
        while True:
            while self.table.moves_itself:
                await asyncio.sleep(pause)
                try:
                    async with self._thinking:
                        action = await in_thread(self.table.decision())
                    tricks = self.table.num_tricks
                    self.table.apply(action)
                except MemoryError:  # there will be no more: the table ends
                    raise
                except Exception as error:  # of an agent: the people are told, the table stays
                    _report(error)
                    self.table.fail()
                    self._show()
                    break
                pause = self._pause_s if self._show() else 0.0
                pause *= _TRICK_PAUSES if self.table.num_tricks > tricks else 1.0
            self._wake.clear()
            await self._wake.wait()
            pause = self._pause_s * (_TRICK_PAUSES if self.table.is_between_tricks else 1.0)

    def _show(self) -> bool:
        """Announce what changed to those who see it; returns whether anybody does."""
        changed = False
        for seat in self.seats:
            shown = json.dumps(self.table.state(seat.place), ensure_ascii=False, allow_nan=False)
            if shown != seat.shown:
                seat.shown, changed = shown, True
                seat.version += 1
        if changed:
            self._changed.set()
            self._changed = asyncio.Event()
        return changed

    # ---- requests --------------------------------------------------------------------------------

    def _at(self, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        """A handler that gets the seat of the link; what it refuses becomes an answer."""

        async def answer(request: Request) -> Response:
            try:
                return await handler(self._seat(request.path_params["token"]), request)
            except Refused as refused:
                return refusal(refused, request)
            except ClientDisconnect:
                return Response(status_code=400)
            except Exception as error:  # a fault of the program: one request fails, not the table
                traceback.print_exc()
                return refusal(Refused("failed", type(error).__name__), request)

        return answer

    def _seat(self, token: str) -> Seat:
        given = token.encode("utf-8", "replace")
        found = [s for s in self.seats if secrets.compare_digest(s.token.encode(), given)]
        if not found:
            raise Refused("token")
        return found[0]

    async def _stranger(self, request: Request) -> Response:
        return refusal(Refused("token"), request)

    async def _page(self, seat: Seat, request: Request) -> Response:
        nonce = secrets.token_urlsafe(16)
        links = [
            {"place": other.place, "path": self.path_of(other)}
            for other in self.seats
            if seat is self.seats[0] and other is not seat
        ]
        text = page.table_page(nonce, self._language, self._title, links, self._is_local)
        policy = (
            f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; "
            "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'"
        )
        return HTMLResponse(text, headers={"Content-Security-Policy": policy})

    async def _state(self, seat: Seat, request: Request) -> Response:
        """The state of the table; with `after` as soon as it is newer than that."""
        client = _client(request.query_params.get("client"))
        self._check_version(request.query_params.get("page"))
        after = request.query_params.get("after", "-1")
        if not after.removeprefix("-").isdecimal() or len(after) > 12:
            raise Refused("message", "after")
        if "take" in request.query_params or not seat.client:  # a page outlives its server
            seat.client = client
            self._changed.set()  # the former page is told at once
            self._changed = asyncio.Event()
        if seat.polls >= MOST_POLLS:
            raise Refused("busy")
        seat.polls += 1
        try:
            await self._wait_for_news(seat, client, int(after), request)
        finally:
            seat.polls -= 1
            seat.seen = asyncio.get_running_loop().time()
        return Response(
            f'{{"version":{seat.version},"state":{seat.shown}}}', media_type="application/json"
        )

    async def _wait_for_news(self, seat: Seat, client: str, after: int, request: Request) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + POLL_S
        while True:
            _check_client(seat, client)
            if self._is_closed:
                raise Refused("over" if self.table.is_over else "closed")
            changed = self._changed
            left = end - loop.time()
            if seat.version != after or left <= 0 or await request.is_disconnected():
                return
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(changed.wait(), min(left, 1.0))

    async def _act(self, seat: Seat, request: Request) -> Response:
        message = await self._message(seat, request)
        deal, question, action = (_number(message, key) for key in ("deal", "question", "action"))
        self.table.act(seat.place, deal, question, action)
        return self._done()

    async def _next(self, seat: Seat, request: Request) -> Response:
        deal = _number(await self._message(seat, request), "deal")
        now = asyncio.get_running_loop().time()
        present = {other.place for other in self.seats if other.is_there(now)}
        self.table.wish_next(seat.place, deal, present)
        return self._done()

    async def _name(self, seat: Seat, request: Request) -> Response:
        self.table.rename(seat.place, (await self._message(seat, request)).get("name"))
        return self._done()

    async def _hint(self, seat: Seat, request: Request) -> Response:
        await self._message(seat, request)
        async with self._thinking:
            ask, asked = self.table.hint(seat.place), self.table.question_number(seat.place)
            try:
                told = await in_thread(ask)
            except (ValueError, RuntimeError, OSError) as error:
                _report(error)
                raise Refused("no_opinion") from error
        if self.table.question_number(seat.place) != asked:  # answered while others thought
            raise Refused("stale")
        chosen = next(c for c in told.choices if c.action == told.reason["action"])
        rows = [
            {
                "text": [words.answer(choice), choice.title],
                "card": choice.card,
                "shares": [round(float(column[choice.action]), 4) for column in told.columns],
            }
            for choice in told.choices
        ]
        return JSONResponse({
            "players": told.names,
            "values": [None if math.isnan(value) else round(value, 1) for value in told.values],
            "rows": rows,
            "chosen": [words.answer(chosen), chosen.title],
            "sentence": maxims.sentence(told.reason),
            "source": told.reason["source"],
        })  # fmt: skip

    async def _records(self, seat: Seat, request: Request) -> Response:
        records = self._finished()
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        name = 'attachment; filename="schafkopf.jsonl"'
        return PlainTextResponse(text, headers={"Content-Disposition": name})

    async def _replay(self, seat: Seat, request: Request) -> Response:
        records = self._finished()
        language = request.query_params.get("language", "")
        language = language if language in words.LANGUAGES else self._language
        text = await in_thread(lambda: pictures.replay_html(records, language=language))
        return HTMLResponse(text)  # with the policy that stands in the page

    # ---- parts -----------------------------------------------------------------------------------

    def _finished(self) -> list[dict[str, Any]]:
        found = self.table.named_records()
        if not found:
            raise Refused("no_deal")
        return found

    def _done(self) -> Response:
        self._show()
        self._wake.set()
        return JSONResponse({})

    @staticmethod
    def _check_version(given: object) -> None:
        if given != page.VERSION:
            raise Refused("version")

    async def _message(self, seat: Seat, request: Request) -> dict[str, Any]:
        """The JSON object of a request of the page that plays at the seat."""
        try:
            body = await asyncio.wait_for(_body(request), MESSAGE_S)
        except asyncio.TimeoutError:
            raise Refused("slow") from None
        try:
            given = json.loads(body)
        except (ValueError, RecursionError):
            raise Refused("message", "JSON") from None
        message: dict[str, Any] = given if isinstance(given, dict) else {}
        client = _client(message.get("client"))
        self._check_version(message.get("page"))
        seat.client = seat.client or client  # a page outlives its server
        _check_client(seat, client)
        return message


def _report(error: BaseException) -> None:
    """Print where the server runs what a player said that failed: it may name cards."""
    told = error.__cause__ or error
    text = harmless_lines(str(told) or type(told).__name__)
    with contextlib.suppress(OSError):  # the terminal may be gone
        print(f"schafkopf: {text}", file=sys.stderr, flush=True)


async def _body(request: Request) -> bytes:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise Refused("size")
    return body


def _number(message: Mapping[str, Any], key: str) -> int:
    number = message.get(key)
    if not isinstance(number, int) or isinstance(number, bool):
        raise Refused("message", key)
    return number


def _client(given: object) -> str:
    """By which a page is known, as it drew it."""
    if not isinstance(given, str) or not 8 <= len(given) <= 64 or not given.isascii():
        raise Refused("message", "client")
    return given


def _check_client(seat: Seat, client: str) -> None:
    if not secrets.compare_digest(seat.client, client):
        raise Refused("taken")
