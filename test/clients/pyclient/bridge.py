"""Reads calls, one a line, makes them through the client, and writes what was answered."""

import asyncio
import base64
import json
import os
import sys
from email.message import Message

import assay
from generate import argument, snake


def main():
    call = call_async if os.environ.get("BRIDGE") == "async" else call_sync
    for line in sys.stdin:
        print(json.dumps(call(json.loads(line)), default=float), flush=True)


def arguments(question, header):
    values = {argument(name): value for name, value in question["query"].items()}
    values |= {"headers": question["headers"], "response_header": header}
    body = question.get("body")
    if isinstance(body, dict) and "upload" in body:
        body = assay.Upload(body["upload"]["text"].encode(), body["upload"]["name"], body["upload"]["fields"])
    return [*question["path"], *([body] if "body" in question else [])], values


def call_sync(question):
    client, header = Recording(question["url"], question["key"]), Message()
    positional, named = arguments(question, header)
    try:
        data = getattr(client, snake(question["operation"]))(*positional, **named)
    except assay.Problem as refusal:
        return refused(refusal)
    return answered(data.read() if isinstance(data, assay.File) else data, client, header)


def call_async(question):
    client, header = AsyncRecording(question["url"], question["key"]), Message()
    positional, named = arguments(question, header)

    async def ask():
        data = await getattr(client, snake(question["operation"]))(*positional, **named)
        return await data.read() if isinstance(data, assay.AsyncFile) else data

    try:
        data = asyncio.run(ask())
    except assay.Problem as refusal:
        return refused(refusal)
    return answered(data, client, header)


def answered(data, client, header):
    body = {"file": base64.b64encode(data).decode()} if isinstance(data, bytes) else {"data": data}
    return {**body, "status": client.status, "headers": header.items()}


def refused(refusal):
    return {"error": refusal.document, "status": refusal.status, "headers": refusal.header.items()}


class Recorded:
    """Keeps the status of a success, which the walk compares."""

    def _send(self, *arguments):
        outcome = super()._send(*arguments)
        self.status = getattr(outcome, "status", 0)
        return outcome


class Recording(Recorded, assay.Client):
    pass


class AsyncRecording(Recorded, assay.AsyncClient):
    pass


main()
