"""`arena serve`: the same site while a tournament runs, over HTTP, brought up to date as matches finish.

How it works: one thread writes the site into a folder of its own whenever there is something new, and then rests five
times as long as that took, so that it takes little from bots that think against the clock. Requests are answered from
that folder: a path is looked up in the list of the site's files, so that no path leads anywhere else. What is being
played now is read from the league's folder `live/`.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec

from arena.errors import ArenaError, UsageError
from arena.live import LiveMatch, running
from arena.logs import LOGGER
from arena.report.output import MANIFEST, Manifest
from arena.report.pages import bot_views
from arena.report.replays import replay_data
from arena.report.site import write_site
from arena.report.wording import plain
from arena.store import Store
from engine import RulesError

_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
    ".gz": "application/gzip",
    ".blksgf": "text/plain; charset=utf-8",
}
_LOOK_S = 2.0  # how often somebody looks for new matches
_REST = 5  # a rest this many times as long as the last writing took
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class SiteServer:
    """A league's site, served until it is closed."""

    def __init__(self, league: Path, host: str = "127.0.0.1", port: int = 8000) -> None:
        """Write the site and bind the port; raises `UsageError`. Port 0 takes any that is free."""
        self._league = league
        self._scratch = TemporaryDirectory(prefix="arena-site-")
        self._out = Path(self._scratch.name)
        self._stop = threading.Event()
        self._version = 0
        self._seen: tuple[int, ...] = ()
        self._files: frozenset[str] = frozenset()
        try:
            self._update()
            self._http = _bind(host, port, partial(_Handler, self))
        except BaseException:
            self._scratch.cleanup()
            raise
        self._updater = threading.Thread(target=self._keep_up, name="site", daemon=True)

    @property
    def address(self) -> str:
        """Where the site is."""
        host, port = self._http.server_address[:2]
        shown = f"[{host!s}]" if ":" in str(host) else str(host)
        return f"http://{shown}:{port}/"

    @property
    def is_public(self) -> bool:
        """Whether others than this machine's users may reach it."""
        return not ip_address(str(self._http.server_address[0]).partition("%")[0]).is_loopback

    def run(self) -> None:
        """Answer requests until `close` is called, or the user interrupts."""
        self._updater.start()
        self._http.serve_forever(poll_interval=0.2)

    def close(self) -> None:
        """Stop answering, and remove the folder."""
        self._stop.set()
        self._http.server_close()
        if self._updater.is_alive():
            self._updater.join()
        self._scratch.cleanup()

    def shutdown(self) -> None:
        """Let `run` return; called from another thread."""
        self._http.shutdown()

    def __enter__(self) -> SiteServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- keeping up

    def _keep_up(self) -> None:
        with_less_right_to_the_cores()
        rest = _LOOK_S
        while not self._stop.wait(rest):
            begun = monotonic()
            try:
                self._update()
            except Exception as error:  # whatever it is, a full disk or a locked file: the next look may find it gone
                LOGGER.warning("the site could not be brought up to date: %s", _told(error))
            rest = max(_LOOK_S, _REST * (monotonic() - begun))

    def _update(self) -> None:
        with Store(self._league) as store:
            seen = store.change_mark()
        if seen == self._seen:
            return
        write_site(self._league, self._out, is_live=True)
        manifest = msgspec.json.decode((self._out / MANIFEST).read_bytes(), type=Manifest)
        self._files = frozenset(manifest.files)
        self._seen = seen
        self._version += 1

    # ---- answers

    def find(self, path: str) -> tuple[str, bytes] | None:
        """Return the kind and the content of what a path names, or None."""
        name = path.removeprefix("/") or "index.html"
        if name == "live/state.json":
            return _KINDS[".json"], msgspec.json.encode(self._state())
        if name.startswith("live/"):
            return self._live(name.removeprefix("live/").removesuffix(".json"))
        if name not in self._files:
            return None
        try:
            return _KINDS[Path(name).suffix], (self._out / name).read_bytes()
        except OSError:
            return None

    def _state(self) -> dict[str, Any]:
        matches = running(self._league)
        return {
            "version": self._version,
            "running": [
                {
                    "worker": each.worker,
                    "match": each.head.match,
                    "names": [plain(name) for name in each.head.names],
                    "steps": len(each.steps),
                }
                for each in matches
            ],
        }

    def _live(self, worker: str) -> tuple[str, bytes] | None:
        for each in running(self._league):
            if each.worker == worker:
                return _KINDS[".json"], msgspec.json.encode(self._shown(each))
        return None

    def _shown(self, match: LiveMatch) -> dict[str, Any]:
        with Store(self._league) as store:
            pages = {bot: view.href for bot, view in bot_views(store.bots()).items()}
        names = zip(match.head.names, match.head.bots, strict=True)
        seats = [{"name": plain(name), "href": pages.get(bot, "")} for name, bot in names]
        try:
            data, _ = replay_data(match.head.spec, seats, match.steps)
        except RulesError as error:
            raise ArenaError(f"match {match.head.match}: {error}") from error
        return {"match": match.head.match, "data": data}


def _told(error: Exception) -> str:
    """Return an error in a line: our own as they are, others with their kind."""
    return str(error) if isinstance(error, ArenaError) else f"{type(error).__name__}: {error}"


def with_less_right_to_the_cores() -> None:
    """Let bots go first: only this thread steps back, on Linux."""
    if hasattr(os, "sched_setscheduler") and hasattr(os, "SCHED_IDLE"):
        try:
            os.sched_setscheduler(threading.get_native_id(), os.SCHED_IDLE, os.sched_param(0))
        except OSError:
            return


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    address_family = socket.AF_INET


class _Http6(_Http):
    address_family = socket.AF_INET6


def _bind(host: str, port: int, handler: Callable[..., BaseHTTPRequestHandler]) -> ThreadingHTTPServer:
    try:
        return (_Http6 if ":" in host else _Http)((host, port), handler)
    except (OSError, OverflowError) as error:
        raise UsageError(f"cannot listen on {host}, port {port}: {error}") from error


class _Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD for the files of the site, and nothing else."""

    server_version = "arena"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = 30

    def __init__(self, site: SiteServer, *arguments: Any) -> None:
        self._site = site
        super().__init__(*arguments)

    def do_GET(self) -> None:
        """Answer with a file."""
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        """Answer with what is said about a file."""
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        if not self._is_for_us():
            self._send(HTTPStatus.MISDIRECTED_REQUEST, "text/plain", b"unknown host\n", with_body=with_body)
            return
        try:
            found = self._site.find(unquote(urlsplit(self.path).path))
        except ArenaError as error:
            self._send(HTTPStatus.SERVICE_UNAVAILABLE, "text/plain", f"{error}\n".encode(), with_body=with_body)
            return
        except Exception as error:  # its text may name folders: it is for us, not for a stranger
            LOGGER.warning("a request could not be answered: %s", _told(error))
            self._send(
                HTTPStatus.SERVICE_UNAVAILABLE, "text/plain", b"trouble of the arena's own\n", with_body=with_body
            )
            return
        if found is None:
            self._send(HTTPStatus.NOT_FOUND, "text/plain", b"not a page of this site\n", with_body=with_body)
        else:
            self._send(HTTPStatus.OK, *found, with_body=with_body)

    def _is_for_us(self) -> bool:
        """Tell whether the request names this machine: a page elsewhere must not reach us by a name of its own."""
        if self._site.is_public:
            return True
        host = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
        return host.strip("[]") in _LOOPBACK

    def _send(self, status: HTTPStatus, kind: str, body: bytes, *, with_body: bool) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002
        """Log like everybody else here."""
        LOGGER.debug("serve: " + format, *arguments)
