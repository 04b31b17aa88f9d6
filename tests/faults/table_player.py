"""A browser at a table: plays its deals by HTTP and closes the table when they are over."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

CLIENT, WAIT_S = "a" * 24, 60.0


class Gone(Exception):
    """The table does not answer any more: its server was ended."""


def play_table(process: subprocess.Popen[bytes], said: Path) -> None:
    """Play until the session is over, then end the server; return early where it is gone.

    Args:
        said: what the process writes to its standard output.
    """
    try:
        seat = _Seat(*_link(process, said))
        while not seat.plays():
            pass
    except (Gone, OSError, http.client.HTTPException):
        return
    process.send_signal(signal.SIGTERM)


def _link(process: subprocess.Popen[bytes], said: Path) -> tuple[int, str]:
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end and process.poll() is None:
        found = re.search(r"http://127.0.0.1:(\d+)(/t/[\w-]{20,})", said.read_text())
        if found and "Ctrl-C" in said.read_text():
            return int(found[1]), found[2]
        time.sleep(0.005)
    raise Gone


class _Seat:
    def __init__(self, port: int, path: str) -> None:
        self.port, self.path = port, path
        from schafkopf.serve import page

        self.page = page.VERSION
        self._get("&take=1")

    def plays(self) -> bool:
        """Answer one question or begin the next deal; return whether the session is over."""
        state = self._get("")["state"]
        if state["result"] and state["is_over"]:
            return True
        if state["result"]:
            self._post("next", deal=state["deal"])
        elif state["question"]:
            self._post(
                "act",
                deal=state["deal"],
                question=state["question_number"],
                action=state["choices"][0]["action"],
            )
        else:
            time.sleep(0.005)
        return False

    def _get(self, more: str) -> dict[str, Any]:
        query = f"client={CLIENT}&page={self.page}&after=-1{more}"
        status, answer = self._ask("GET", f"{self.path}/state?{query}")
        if status != 200:
            raise Gone
        return answer

    def _post(self, what: str, **message: Any) -> None:
        body = json.dumps({"client": CLIENT, "page": self.page, **message}).encode()
        self._ask("POST", f"{self.path}/{what}", body)

    def _ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, dict[str, Any]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_S)
        origin = {"Origin": f"http://127.0.0.1:{self.port}"} if method == "POST" else {}
        try:
            connection.request(method, path, body, origin)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"{}")
        finally:
            connection.close()
