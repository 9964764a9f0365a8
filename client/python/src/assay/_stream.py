from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

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


def read_changes(lines: Iterable[bytes]) -> Iterator[Change]:
    """Yields the changes of one connection. Events of other kinds may be added."""
    kind, data = "", ""
    for line in lines:
        name, _, value = line.decode().rstrip("\r\n").partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            kind = value
        elif name == "data":
            data = value
        elif line.strip() == b"":
            if kind == "ready":
                yield Change()
            elif kind == "change":
                members = json.loads(data)
                yield Change(members.get("topic", ""), members.get("id") or "")
            kind, data = "", ""
