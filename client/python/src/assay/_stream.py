from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ._retry import FIRST_PAUSE

#: How long a stream may be silent, in seconds. The server sends a comment every 25 seconds.
SILENCE = 60.0


@dataclass(frozen=True)
class Change:
    """Says that an object has changed. Read it again to see how."""

    topic: str = ""
    """One of integrations, traders, interviews, webhooks, api_keys, users and audit. New ones may be
    added. It is empty at the beginning and whenever the stream has been interrupted, because anything
    may have changed before: read everything that you show."""
    id: str = ""
    """The object's. It is empty if several objects have changed."""


class Stream:
    """What is known of a stream across its connections."""

    def __init__(self) -> None:
        self.ready = False  # there was a connection
        self.pause = FIRST_PAUSE  # before the next connection

    def read_changes(self, lines: Iterable[bytes]) -> Iterator[Change]:
        """Yields the changes of one connection. Events of other kinds may be added."""
        kind, data = "", ""
        for line in lines:
            name, _, value = line.decode().rstrip("\r\n").partition(":")
            value = value.removeprefix(" ")
            if name == "retry" and value.isascii() and value.isdigit():
                self.pause = int(value) / 1000
            elif name == "event":
                kind = value
            elif name == "data":
                data = value
            elif line.strip() == b"":
                if kind == "ready":
                    self.ready = True
                    yield Change()
                elif kind == "change":
                    members = json.loads(data)
                    yield Change(members.get("topic", ""), members.get("id") or "")
                kind, data = "", ""
