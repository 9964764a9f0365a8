from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime

from . import types

#: How far the time of a delivery may be from now, as Standard Webhooks recommends, in seconds.
TOLERANCE = 300


class WebhookSignatureError(Exception):
    """Says that a request to your endpoint was not sent by assay, or not recently. Answer it with 401."""


def parse_webhook(headers: Mapping[str, str], body: bytes, *secrets: str, now: float | None = None) -> types.EventPayload:
    """Verifies a delivery with the endpoint's secret and returns its event.

    The body must be as it was received. Give the old secret, too, while you replace it.
    """
    values = {name.lower(): value for name, value in headers.items()}
    name, seconds, signatures = (values.get(f"webhook-{part}", "") for part in ("id", "timestamp", "signature"))
    if not (name and signatures and seconds.isascii() and seconds.isdigit() and len(seconds) < 12):
        raise WebhookSignatureError("the request has no signature of a webhook")
    at = int(seconds)
    if abs(at - (time.time() if now is None else now)) > TOLERANCE:
        raise WebhookSignatureError(f"the signature is of {datetime.fromtimestamp(at, UTC).isoformat()}, which is too far from now")
    given = [signature.encode() for signature in signatures.split(" ")]
    for secret in secrets:
        want = sign_webhook(secret, name, at, body).encode()
        if any([hmac.compare_digest(signature, want) for signature in given]):
            event: types.EventPayload = json.loads(body)
            return event
    raise WebhookSignatureError("the webhook's signature is not valid")


def sign_webhook(secret: str, id: str, at: int, body: bytes) -> str:
    """Returns the signature of a delivery by the secret, for tests of your endpoint. at is a Unix time."""
    try:
        key = base64.b64decode(secret.strip().removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError("the secret is not a webhook endpoint's, which begins with whsec_")
    mac = hmac.new(key, f"{id}.{at}.".encode() + body, hashlib.sha256)
    return "v1," + base64.b64encode(mac.digest()).decode()
