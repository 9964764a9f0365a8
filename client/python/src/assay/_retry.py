from __future__ import annotations

import email.utils
import http.client
import random
import ssl
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from email.message import Message
from typing import Any

from ._problem import Problem

#: Longer than the server takes for any request, which is 150 seconds for an upload, in seconds.
SLOWEST_ANSWER = 180.0

#: Pauses before a request is sent again, unless the server says how long, in seconds: up to
#: FIRST_PAUSE, then twice as long each time, up to LONGEST_PAUSE.
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 10.0

#: What a request fails with if there is no answer.
LOST = (urllib.error.URLError, http.client.HTTPException, OSError)


@dataclass(frozen=True)
class RetryPolicy:
    """How often a request is sent again, and for how long the client waits at most, in seconds."""

    retries: int
    longest_wait: float


class Attempts:
    """The attempts to send one request, until there is an outcome that another one would not change.

    Each request may be repeated: a POST has an Idempotency-Key, and the API's other methods leave the same
    state when they are carried out twice. A conditional request, which has If-Match, is not repeated if it
    may have been carried out: the second attempt would be refused because of what the first has changed.
    For the same reason, the 404 of a DELETE that is repeated is its success.
    """

    def __init__(self, policy: RetryPolicy, request: urllib.request.Request) -> None:
        self._policy = policy
        self._conditional = request.has_header("If-match")
        self._deletes = request.get_method() == "DELETE"
        self._deadline = time.monotonic() + SLOWEST_ANSWER
        self._failed = 0
        self._uncertain = False  # an attempt may have been carried out

    def pause(self, outcome: Any) -> float | None:
        """Returns how long to wait before the next attempt, in seconds, or None if there is none."""
        if not isinstance(outcome, (Problem, *LOST)):
            return None
        if isinstance(outcome, urllib.error.URLError) and isinstance(outcome.reason, ssl.SSLCertVerificationError):
            return None  # the same certificate would be shown again
        if _is_in_progress(outcome) and time.monotonic() < self._deadline:
            self._failed = 0  # nothing has failed: the server is carrying out an earlier attempt
        # A connection that was refused counts as lost, as in the clients of other languages.
        lost = not isinstance(outcome, Problem) or outcome.status in (502, 504)
        if self._failed >= self._policy.retries or (self._conditional and lost):
            return None
        pause: float = random.random() * min(FIRST_PAUSE * 2**self._failed, LONGEST_PAUSE)  # spreads clients
        self._failed += 1
        self._uncertain = self._uncertain or lost
        if not isinstance(outcome, Problem):
            return pause
        if outcome.status not in (429, 502, 503, 504) and not _is_in_progress(outcome):
            return None
        asked = retry_after(outcome.header)
        return asked + pause if asked <= self._policy.longest_wait else None

    def finish(self, outcome: Any) -> Any:
        """Returns the last outcome, or raises it if it is none that a caller expects."""
        if self._deletes and self._uncertain and isinstance(outcome, Problem) and outcome.code and outcome.status == 404:
            return None
        if isinstance(outcome, (Problem, *LOST)):
            raise outcome
        return outcome


def _is_in_progress(outcome: Problem | OSError | http.client.HTTPException) -> bool:
    """Reports whether the server is carrying out another request with the same Idempotency-Key.

    Only that conflict says how long to wait.
    """
    return isinstance(outcome, Problem) and outcome.status == 409 and "Retry-After" in outcome.header


def retry_after(header: Message) -> float:
    """Reads how long the server asks to wait, in seconds."""
    value = header.get("Retry-After", "")
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return max(email.utils.parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except (TypeError, ValueError):
        return 0.0
