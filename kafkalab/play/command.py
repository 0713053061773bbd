"""Runs `kafkalab play`: builds the page that plays, serves it on this machine, and opens it.

Only this machine can ask: the server listens on 127.0.0.1. Ctrl+C ends it.
"""

from __future__ import annotations

import functools
import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from kafkalab.command_line import CommandParser, called_as
from kafkalab.play.ready import SETTINGS
from kafkalab.play.site import Unplayable, build
from kafkalab.play.story import Unreadable, from_address

UNUSABLE = 2


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files, says nothing, and gives each its type on every system."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".mjs": "text/javascript",
        ".js": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, format: str, *args: Any) -> None:
        pass


class _Patient(ThreadingHTTPServer):
    """A server that says nothing where a browser no longer waits: Stop ends what a worker loads."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def serving(folder: Path, port: int = 0) -> Iterator[ThreadingHTTPServer]:
    """A server of a folder's files on 127.0.0.1. port: 0 takes a free one. Raises OSError where the
    port is taken."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with _Patient(("127.0.0.1", port), handler) as server:
        yield server


def main(argv: list[str]) -> int:
    """Build the page, then serve it or leave it in a folder. 2 after one sentence for what cannot
    be used."""
    options = _parser().parse_args(argv)
    story = options.story if "=" in options.story else f"story={options.story}"
    try:
        from_address(story, SETTINGS)
        if options.out is not None:
            print(f"The page is {build(options.out)}. Any web server can hold its folder.")
            return 0
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch, "play")
            build(folder)
            with serving(folder, options.port) as server:
                address = f"http://127.0.0.1:{server.server_port}/#{story}"
                print(f"Kafka plays at {address}. Ctrl+C ends it.", flush=True)
                if not options.quiet:
                    webbrowser.open(address)
                server.serve_forever()
    except KeyboardInterrupt:
        return 0
    except (Unplayable, Unreadable) as error:
        print(f"{error}.", file=sys.stderr)
    except (OSError, OverflowError) as error:
        print(f"The page cannot be served: {error}.", file=sys.stderr)
    return UNUSABLE


def _parser() -> CommandParser:
    parser = CommandParser(
        prog=f"{called_as('kafkalab')} play",
        description="Open the page on which the simulator plays in the browser.",
        example="--story 07",
    )
    parser.add_argument(
        "--story",
        default="03",
        help="a ready story, or the part of an address after # (default: 03)",
    )
    parser.add_argument("--port", type=int, default=0, help="the port (default: a free one)")
    parser.add_argument("--quiet", action="store_true", help="open no browser")
    parser.add_argument("--out", type=Path, help="write the page into this folder, serve nothing")
    return parser
