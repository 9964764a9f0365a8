from __future__ import annotations

import json
from email.message import Message
from typing import Any


class Problem(Exception):
    """A refusal of the server. Its code says which; see /docs on each server."""

    def __init__(self, status: int, header: Message, document: dict[str, Any]) -> None:
        self.status = status
        self.header = header
        #: The problem document, with the members that belong to its code.
        self.document = document
        self.code: str = document.get("code", "")
        self.detail: str = document.get("detail", "")
        self.request_id: str = document.get("request_id") or header.get("X-Request-Id") or ""
        #: Every invalid value of the request.
        self.errors: list[dict[str, Any]] = document.get("errors") or []
        reference = f"{status}, request {self.request_id}" if self.request_id else str(status)  # by which the server's log finds it
        lines = [f"{self.code or document.get('title', 'refused')} ({reference})" + (f": {self.detail}" if self.detail else "")]
        for fault in self.errors:
            place = fault.get("pointer") or fault.get("parameter") or fault.get("header") or "request"
            lines.append(f"  {place}: {fault.get('detail', '')}")
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[type[Problem], tuple[int, Message, dict[str, Any]]]:
        """Makes a problem that another process raises arrive."""
        return Problem, (self.status, self.header, self.document)


def read_problem(status: int, header: Message, body: bytes, url: str) -> Problem:
    """Reads a refusal. What is not a problem document, such as a proxy's page, becomes one without a code."""
    if header.get_content_type() == "application/problem+json":
        try:
            return Problem(status, header, json.loads(body))
        except ValueError:
            pass  # It has been cut off, and is described like any other page.
    return Problem(status, header, {"detail": f"{_explain(status)} {url}"})


def _explain(status: int) -> str:
    """Says what an answer is that is not one of the API."""
    if status == 304:
        return "The object has not been modified:"
    if status >= 500 or status == 413:
        return "A proxy in front of assay has answered:"
    return "The answer is not one of assay's API. Check the server's URL:"
