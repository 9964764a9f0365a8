"""A program of a user with types, which are checked before it runs. Each mistake in it is found."""

import asyncio
import os
from collections.abc import Iterator
from decimal import Decimal
from email.message import Message

import assay
from assay.types import Trader

URL, KEY = os.environ["WALK_URL"], os.environ["WALK_KEY"]


def find_countries(client: assay.Client) -> Iterator[str]:
    for trader in client.all_traders(source="manual", limit=100):
        if trader["country"] is not None:
            yield trader["country"]


def rename(client: assay.Client, id: str, name: str) -> Trader | None:
    header = Message()
    try:
        client.get_trader(id, response_header=header)
    except assay.Problem as refusal:
        if refusal.code != "not_found":
            raise
        return None
    return client.update_trader(id, {"full_name": name}, if_match=str(header["ETag"]))


def add_up(client: assay.Client, trader: Trader) -> Decimal:
    return sum((Decimal(trade["profit"] or 0) for trade in client.all_trades(trader["id"])), Decimal())


async def read_export(client: assay.AsyncClient) -> bytes:
    file = await client.export_traders(source="manual")
    return await file.read()


def main() -> None:
    client = assay.Client(URL, KEY)
    trader = client.create_trader({"full_name": "Typed Python"})
    renamed = rename(client, trader["id"], "Renamed Python")
    assert renamed is not None and renamed["full_name"] == "Renamed Python"
    assert rename(client, "no/id", "Nobody") is None
    assert all(len(country) == 2 for country in find_countries(client))
    assert add_up(client, trader) == 0
    assert b"Renamed Python" in asyncio.run(read_export(assay.AsyncClient(URL, KEY)))
    client.erase_trader(trader["id"])


def be_mistaken(client: assay.Client, trader: Trader) -> None:
    client.create_trader({"full_nam": "Typed Python"})  # pyright: ignore[reportArgumentType]
    client.list_traders(source="blue")  # pyright: ignore[reportArgumentType]
    client.list_traders(colour="blue")  # pyright: ignore[reportCallIssue]
    client.get_trader(trader["id"], if_match=1)  # pyright: ignore[reportArgumentType]
    trader["surname"]  # pyright: ignore[reportGeneralTypeIssues]
    client.get_trader(trader["id"])["country"].lower()  # pyright: ignore[reportOptionalMemberAccess]


main()
