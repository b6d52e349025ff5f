"""The page served from this machine, to this machine only."""

from __future__ import annotations

import importlib.resources
import json
import re
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from barchan.draw.viewer.data import Show
from barchan.errors import BarchanError, FileError, Finding

HOST = "127.0.0.1"
STATIC = importlib.resources.files("barchan.draw.viewer") / "static"
TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css", "txt": "text/plain"}
POLICY = "default-src 'self' data: 'unsafe-inline'; script-src 'self' 'unsafe-inline'"


class Server(ThreadingHTTPServer):
    """Serves the page of one show on a free port of this machine, or on the one asked for."""

    daemon_threads = True

    def __init__(self, show: Show, port: int = 0) -> None:
        self.show = show
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as problem:
            what = f"{port}: {problem.strerror}"
            raise FileError(Finding("--port", what, "a free port", "leave it out for any that is free")) from problem

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{HOST}:{self.server_address[1]}/"

    def start(self) -> None:
        """Serve from a thread of its own, until `stop`."""
        threading.Thread(target=self.serve_forever, name="viewer", daemon=True).start()

    def stop(self) -> None:
        """Serve no longer."""
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer, or say why not. Only this machine's own names are served: another site may stand behind others."""
        name = self.headers.get("Host", "").rsplit(":", 1)[0]
        if name not in (HOST, "localhost"):
            self._send(HTTPStatus.FORBIDDEN, "text/plain", b"this page is for this machine only")
            return
        try:
            parts = urlsplit(self.path)
            query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
            kind, body = self._answer(parts.path, query)
            self._send(HTTPStatus.OK, kind, body)
        except (BarchanError, ValueError) as problem:
            self._send(HTTPStatus.NOT_FOUND, "text/plain", str(problem).encode())
        except (BrokenPipeError, ConnectionResetError):
            return  # the page has gone on to another frame

    def _answer(self, path: str, query: dict[str, str]) -> tuple[str, bytes]:
        show, index = self.server.show, _number(query, "index", "0")
        asked: dict[str, Callable[[], Any]] = {
            "/about": show.about,
            "/progress": lambda: self._progress(show),
            "/grain": lambda: show.grain(index, _number(query, "id")),
            "/moment": lambda: show.moment(
                index, [one for one in query.get("fields", "").split(",") if one], contacts="contacts" in query
            ),
            "/steady": lambda: show.steady(index),
        }
        if path in asked:
            answer = asked[path]()
            if isinstance(answer, bytes):
                return "application/octet-stream", answer
            return "application/json", json.dumps(answer).encode()
        name = path.removeprefix("/") or "index.html"
        file = STATIC / name
        if "/" in name or name.startswith(".") or not file.is_file():
            raise FileError(Finding(path, "is nothing that is served here"))
        return TYPES.get(name.rsplit(".", 1)[-1], "application/octet-stream") + "; charset=utf-8", file.read_bytes()

    @staticmethod
    def _progress(show: Show) -> dict[str, Any]:
        show.refresh()
        return show.progress()

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def _number(query: dict[str, str], name: str, default: str = "") -> int:
    """A whole number that was asked with; FileError where it is none."""
    text = query.get(name, default)
    if not re.fullmatch(r"-?\d{1,18}", text, re.ASCII):
        raise FileError(Finding(name, repr(text[:40]) if text else "missing", "must be a whole number"))
    return int(text)
