"""A client of assay's API.

    from assay import Client

    client = Client("https://assay.example.com", os.environ["ASSAY_API_KEY"])
    for trader in client.all_traders(search="smith"):
        print(trader["id"], trader["status"])

Client and AsyncClient have a method for each operation, named as in the API's document, and one for
all pages of each list, which begins with all_. assay.types has the types of what they take and return.
"""

from . import types
from ._call import CallOptions, Upload
from ._client import AsyncClient, Client
from ._file import AsyncFile, File
from ._problem import Problem
from ._stream import Change
from ._webhook import WebhookSignatureError, parse_webhook, sign_webhook

__all__ = [
    "AsyncClient",
    "AsyncFile",
    "CallOptions",
    "Change",
    "Client",
    "File",
    "Problem",
    "Upload",
    "WebhookSignatureError",
    "parse_webhook",
    "sign_webhook",
    "types",
]
