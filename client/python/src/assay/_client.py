from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import socket
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import AsyncIterator, Iterator
from decimal import Decimal
from email.message import Message
from typing import IO, Any

from ._call import CallOptions, build_request
from ._file import AsyncFile, File
from ._operations import AsyncOperations, Operations
from ._problem import Problem, read_problem
from ._retry import LOST, SLOWEST_ANSWER, Attempts, RetryPolicy
from ._stream import SILENCE, Change, Stream

#: How many items an iterator asks for at a time, unless the caller says so: the most that every list gives.
PAGE_SIZE = 100

#: What asks for the stream of changes.
STREAM: CallOptions = {"headers": {"Accept": "text/event-stream"}}


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The API redirects nowhere, and the key must not go elsewhere."""

    def redirect_request(self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str) -> None:
        return None


class _Connection:
    """What both clients share: how one request is sent."""

    def __init__(
        self, url: str, key: str, *, retries: int = 4, longest_wait: float = 65.0, timeout: float = SLOWEST_ANSWER, ssl_context: ssl.SSLContext | None = None
    ) -> None:
        """Takes the URL of the server, such as https://assay.example.com, and an API key. A /v1 at
        the end of the URL is ignored.

        A request is sent again up to retries times. If the server asks to wait for longer than
        longest_wait seconds, the client raises the server's problem. timeout is how long each attempt
        waits for the connection, and for each part of the answer, in seconds.
        """
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("https", "http") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"{url!r} is not the URL of a server, such as https://assay.example.com")
        key = key.strip()  # a file's ends with a line break
        if not key:
            raise ValueError("an API key is required")
        if not (key.isascii() and key.isprintable()):
            raise ValueError("the API key has characters that no key has")
        self._base = url.rstrip("/").removesuffix("/v1").rstrip("/")
        self._key = key
        self._policy = RetryPolicy(retries, longest_wait)
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirect, urllib.request.HTTPSHandler(context=ssl_context))

    def _request(self, method: str, path: str, query: dict[str, Any], body: Any, options: CallOptions) -> urllib.request.Request:
        return build_request(self._base, self._key, method, path, query, body, options)

    def _send(self, request: urllib.request.Request, timeout: float) -> http.client.HTTPResponse | Problem | OSError | http.client.HTTPException:
        """Sends a request once, and returns the success, the refusal, or why there is no answer."""
        try:
            response: http.client.HTTPResponse = self._opener.open(request, timeout=timeout)
            return response
        except urllib.error.HTTPError as refusal:
            with refusal, contextlib.suppress(*LOST):
                return read_problem(refusal.code, refusal.headers, refusal.read(), request.full_url)
            return http.client.IncompleteRead(b"")
        except LOST as lost:
            return lost

    def _exchange(self, request: urllib.request.Request, options: CallOptions, answer: str) -> Any:
        """Sends a request once, and returns what was read, the refusal, or why there is no answer.

        A connection that is lost in the middle of an answer is lost, too.
        """
        outcome = self._send(request, options.get("timeout", self._timeout))
        if not isinstance(outcome, http.client.HTTPResponse):
            return outcome
        try:
            return _read(outcome, options, answer, request.full_url)
        except LOST as lost:
            return lost


def _is_foreign(header: Message, answer: str) -> bool:
    """Reports whether a success is not that of the API, such as the page of a proxy that asks to sign in.

    The API's own answers have an id, also those with the HTML files of traders.
    """
    return header.get_content_type() == "text/html" and (answer == "json" or "X-Request-Id" not in header)


def _read(response: http.client.HTTPResponse, options: CallOptions, answer: str, url: str) -> Any:
    """Reads what an operation answers. Numbers are exact, which a float is not."""
    if _is_foreign(response.headers, answer):
        with response:
            return read_problem(response.status, response.headers, response.read(), url)
    if (header := options.get("response_header")) is not None:
        for name, value in response.headers.items():
            header[name] = value
    if answer == "file":
        return File(response)
    with response:
        text = response.read()
        return json.loads(text, parse_float=Decimal) if answer == "json" and text else None


def _hang_up(response: http.client.HTTPResponse) -> None:
    """Ends a read that another thread has begun. close would wait for it."""
    if response.isclosed():
        return
    connection = socket.socket(fileno=response.fileno())
    with contextlib.suppress(OSError):  # the server has hung up
        connection.shutdown(socket.SHUT_RDWR)
    connection.detach()


def _next_query(query: dict[str, Any], page: dict[str, Any]) -> dict[str, Any] | None:
    cursor = page["meta"]["next_cursor"]
    return None if cursor is None else {**query, "page": None, "cursor": cursor}


def _is_permanent(err: Exception) -> bool:
    """Reports whether the server has refused the stream, rather than not answered."""
    return isinstance(err, ValueError) or (isinstance(err, Problem) and err.status < 500 and err.status != 429)


class Client(_Connection, Operations):
    """Calls the API with one key. Its methods raise a Problem if the server refuses. Threads may share it."""

    def _call(self, method: str, path: str, query: dict[str, Any], body: Any, options: CallOptions, answer: str) -> Any:
        request = self._request(method, path, query, body, options)
        attempts = Attempts(self._policy, request)
        while (pause := attempts.pause(outcome := self._exchange(request, options, answer))) is not None:
            time.sleep(pause)
        return attempts.finish(outcome)

    def _pages(self, path: str, query: dict[str, Any], options: CallOptions) -> Iterator[Any]:
        rest: dict[str, Any] | None = {**query, "limit": query.get("limit") or PAGE_SIZE}
        while rest is not None:
            page = self._call("GET", path, rest, None, options, "json")
            yield from page["data"]
            rest = _next_query(rest, page)

    def changes(self) -> Iterator[Change]:
        """Yields what changes, as far as the key may read it, without end.

        It connects again when the stream is interrupted, and raises what connecting again would not cure.
        Changes during an interruption are not sent later, so use webhooks for events that you must not miss.
        """
        request = self._request("GET", "/v1/stream", {}, None, STREAM)
        stream = Stream()
        while True:
            try:
                attempts = Attempts(self._policy, request)
                while (pause := attempts.pause(outcome := self._send(request, SILENCE))) is not None:
                    time.sleep(pause)
                with attempts.finish(outcome) as response:
                    yield from stream.read_changes(response)
            except (Problem, ValueError, *LOST) as err:
                if not stream.ready or _is_permanent(err):
                    raise
            time.sleep(stream.pause)


class AsyncClient(_Connection, AsyncOperations):
    """Client for asyncio. Requests are sent by threads, and waits end with the task."""

    async def _call(self, method: str, path: str, query: dict[str, Any], body: Any, options: CallOptions, answer: str) -> Any:
        request = self._request(method, path, query, body, options)
        attempts = Attempts(self._policy, request)
        while (pause := attempts.pause(outcome := await asyncio.to_thread(self._exchange, request, options, answer))) is not None:
            await asyncio.sleep(pause)
        read = attempts.finish(outcome)
        return AsyncFile(read) if isinstance(read, File) else read

    async def _pages(self, path: str, query: dict[str, Any], options: CallOptions) -> AsyncIterator[Any]:
        rest: dict[str, Any] | None = {**query, "limit": query.get("limit") or PAGE_SIZE}
        while rest is not None:
            page = await self._call("GET", path, rest, None, options, "json")
            for item in page["data"]:
                yield item
            rest = _next_query(rest, page)

    async def changes(self) -> AsyncIterator[Change]:
        """Yields what changes, as Client.changes does."""
        request = self._request("GET", "/v1/stream", {}, None, STREAM)
        stream = Stream()
        while True:
            try:
                attempts = Attempts(self._policy, request)
                while (pause := attempts.pause(outcome := await asyncio.to_thread(self._send, request, SILENCE))) is not None:
                    await asyncio.sleep(pause)
                with attempts.finish(outcome) as response:
                    changes = stream.read_changes(response)
                    try:
                        while (change := await asyncio.to_thread(lambda: next(changes, None))) is not None:
                            yield change
                    finally:
                        _hang_up(response)
            except (Problem, ValueError, *LOST) as err:
                if not stream.ready or _is_permanent(err):
                    raise
            await asyncio.sleep(stream.pause)
