"""What comes to the table is let in here, or refused: foreign hosts, foreign pages, websockets."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from schafkopf import extras
from schafkopf.serve import page
from schafkopf.serve.refused import Refused

if TYPE_CHECKING:
    from schafkopf.serve.app import TableApp

extras.load_extra("starlette", "serve", "starlette uvicorn")

from starlette.requests import Request  # noqa: E402
from starlette.responses import HTMLResponse, JSONResponse, Response  # noqa: E402
from starlette.types import ASGIApp, Receive, Scope, Send  # noqa: E402

_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def refusal(refused: Refused, request: Request) -> Response:
    """The answer to what is refused: JSON for the page, a page for a person."""
    if "text/html" in request.headers.get("accept", ""):
        return HTMLResponse(page.refusal_page(refused.text), refused.status)
    return JSONResponse({"ground": refused.ground, "text": refused.text}, refused.status)


class Guard:
    """Lets through what asks for the table under its own name, and what its own page sends."""

    def __init__(self, inner: ASGIApp, app: TableApp) -> None:
        self._inner, self._app = inner, app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        request = Request(scope)
        ground = self._ground(request)

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                added = [(k.lower().encode(), v.encode()) for k, v in _HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        if ground:
            await refusal(Refused(ground), request)(scope, receive, send_with_headers)
        else:
            await self._inner(scope, receive, send_with_headers)

    def _ground(self, request: Request) -> str:
        """What is wrong with where a request comes from; empty if nothing is."""
        given = request.headers.getlist("host")
        host = given[0] if len(given) == 1 else ""
        if not self._is_own(host):
            return "host"
        if request.method not in ("GET", "HEAD"):
            origin = request.headers.get("origin", "")
            if _place(origin).casefold() != host.casefold() or not origin:
                return "origin"
        # A link that somebody sent may be followed from anywhere; nothing else may.
        is_foreign = request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
        if is_foreign and request.headers.get("sec-fetch-mode") != "navigate":
            return "origin"
        return ""

    def _is_own(self, host: str) -> bool:
        """Whether a Host is a name of the table; a number cannot be bent to another machine."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return name in self._app.hosts or ("" in self._app.hosts and _is_number(name))


def _place(origin: str) -> str:
    """Return host and port of an Origin, "" where it has none."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _is_number(name: str) -> bool:
    """Whether a name is an address in numbers."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
