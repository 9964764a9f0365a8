from __future__ import annotations

import datetime
import json
import secrets
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass, field
from decimal import Decimal
from email.message import Message
from typing import Any, TypedDict


class CallOptions(TypedDict, total=False):
    """What every call takes beside the values of its operation."""

    #: Sends a POST with the key instead of a new one. Within 24 hours, a POST with the same key and body
    #: gets the first answer, also from another process or after a restart.
    idempotency_key: str
    #: Changes the object only if it still has the entity tag. Otherwise, the call raises precondition_failed.
    if_match: str
    #: How long each attempt waits, in seconds, instead of the client's timeout.
    timeout: float
    #: More headers, such as X-Request-Id.
    headers: dict[str, str]
    #: Receives the header of the response, such as its ETag.
    response_header: Message


@dataclass
class Upload:
    """An export of a trading platform: CSV, XLSX, HTML, or a ZIP archive of one."""

    file: bytes
    name: str = "statement"
    fields: dict[str, str] = field(default_factory=dict[str, str])
    """The other fields of the form, such as timezone."""

    def encode(self) -> tuple[bytes, str]:
        boundary = secrets.token_hex(16)
        name = self.name.replace("\\", "_").replace('"', "_").replace("\r", "_").replace("\n", "_")
        parts = [f'--{boundary}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode() for key, value in self.fields.items()]
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: application/octet-stream\r\n\r\n'
        return b"".join(parts) + head.encode() + self.file + f"\r\n--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


def build_request(base: str, key: str, method: str, path: str, query: dict[str, Any], body: Any, options: CallOptions) -> urllib.request.Request:
    """Returns the request of a call."""
    if unknown := sorted(options.keys() - CallOptions.__annotations__.keys()):
        raise TypeError(f"there is no parameter {unknown[0]}")  # a filter that is misspelled would let everything through
    values = {name: encode_value(value) for name, value in query.items() if value is not None}
    url = base + path + ("?" + urllib.parse.urlencode(values) if values else "")
    data, content_type = encode_body(body)
    request = urllib.request.Request(url, data, method=method)
    request.add_header("Authorization", f"Bearer {key}")
    request.add_header("User-Agent", "assay-client-python")
    if content_type:
        request.add_header("Content-Type", content_type)
    if method == "POST":
        request.add_header("Idempotency-Key", options.get("idempotency_key") or str(uuid.uuid4()))
    if "if_match" in options:
        request.add_header("If-Match", options["if_match"])
    for name, value in options.get("headers", {}).items():
        request.add_header(name, value)
    return request


def encode_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).isoformat().replace("+00:00", "Z")
    return str(value)


def encode_body(body: Any) -> tuple[bytes | None, str]:
    match body:
        case None:
            return None, ""
        case Upload():
            return body.encode()
        case str():
            return body.encode(), "text/csv"
        case bytes():
            return body, "text/csv"
        case _:
            return json.dumps(body, default=encode_other).encode(), "application/json"


def encode_other(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, datetime.datetime):
        return encode_value(value)
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON")
