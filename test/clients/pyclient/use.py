"""Uses the client as its readers do, against the API and behind a proxy that disturbs."""

import asyncio
import http.client
import http.server
import json
import os
import pickle
import ssl
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request
from email.message import Message

import assay
from assay._retry import Attempts, RetryPolicy

URL, KEY, INTEGRATION = os.environ["WALK_URL"], os.environ["WALK_KEY"], os.environ["WALK_INTEGRATION"]
STATEMENT = (
    "Ticket,Symbol,Side,Volume,Open Time,Close Time,Open Price,Close Price,Profit\n"
    "1,EURUSD,buy,0.50,2026-06-15 08:00:00,2026-06-15 08:20:00,1.07,1.08,12.50\n"
)


class Front(http.server.ThreadingHTTPServer):
    """Passes requests on to the API, and does to the first ones what it was given to do."""

    daemon_threads = True

    def __init__(self, *actions):
        super().__init__(("127.0.0.1", 0), Handler)
        self.actions, self.requests = list(actions), 0
        self.released, self.gave_up = threading.Event(), False
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def pass_on(self):
        self.server.requests += 1
        action = self.server.actions.pop(0) if self.server.actions else None
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if isinstance(action, tuple):
            status, header = action
            self.send_response(status)
            for name, value in header.items():
                self.send_header(name, value)
            self.end_headers()
            return
        upstream = http.client.HTTPConnection(urllib.parse.urlsplit(URL).netloc)
        upstream.request(self.command, self.path, body, dict(self.headers))
        response = upstream.getresponse()
        if action == "lose":
            response.read()
            return self.connection.close()
        self.send_response(response.status)
        for name, value in response.getheaders():
            if name.lower() not in ("transfer-encoding", "connection"):
                self.send_header(name, value)
        self.end_headers()
        if action == "half":
            whole = response.read()
            self.wfile.write(whole[: len(whole) // 2])
        while part := response.read1():
            self.wfile.write(part)
            if action == "cut":
                break
            if action == "hold":
                self.server.gave_up = not self.server.released.wait(30)
                break
        upstream.close()

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = pass_on


class Sync(unittest.TestCase):
    def setUp(self):
        self.client = assay.Client(URL, KEY)

    def test_lists_have_all_their_pages(self):
        self.assertGreaterEqual(len({trader["id"] for trader in self.client.all_traders(limit=25)}), 60)
        self.assertTrue(list(self.client.all_sync_runs(INTEGRATION)))
        front = Front()
        next(assay.Client(front.url, KEY).all_traders(limit=1))
        self.assertEqual(front.requests, 1, "leaving a list early reads no more of it")

    def test_a_refusal_says_what_is_wrong(self):
        with self.assertRaises(assay.Problem) as refused:
            self.client.create_integration({"kind": "carrier_pigeon", "base_url": "http://127.0.0.1"})
        problem = refused.exception
        self.assertEqual((problem.code, problem.status), ("validation_failed", 422))
        self.assertRegex(str(problem), rf"^validation_failed \(422, request {problem.request_id}\): (?s:.*)#/kind: ")
        self.assertIn("#/base_url: ", str(problem))
        with self.assertRaises(assay.Problem) as refused:
            list(self.client.all_sync_runs("no/id"))
        self.assertEqual(refused.exception.code, "not_found")
        for status in (404, 200):
            with self.assertRaises(assay.Problem) as refused:
                assay.Client(Front((status, {"Content-Type": "text/html"})).url, KEY).list_traders()
            self.assertEqual(refused.exception.status, status)
            self.assertIn("Check the server's URL", str(refused.exception))
        for url, key in (("assay.example.com", KEY), (URL + "?x=1", KEY), (URL, ""), (URL, "svc\nlive")):
            self.assertRaises(ValueError, assay.Client, url, key)
        assay.Client(URL, KEY + "\n").list_traders()  # as a file has it
        assay.Client(URL + "/v1/", KEY).list_traders()
        for status, says in ((413, "A proxy"), (503, "A proxy"), (304, "not been modified")):
            with self.assertRaisesRegex(assay.Problem, says):
                assay.Client(Front((status, {})).url, KEY, retries=0).list_traders()
        again = pickle.loads(pickle.dumps(problem))
        self.assertEqual((str(again), again.status, again.header["X-Request-Id"]), (str(problem), 422, problem.request_id))

    def test_an_id_does_not_call_another_operation(self):
        for id in ("", ".", ".."):
            self.assertRaises(ValueError, self.client.export_trader, id)
        with self.assertRaisesRegex(TypeError, "serach"):
            list(self.client.all_traders(serach="smith"))

    def test_a_server_that_is_silent_is_not_waited_for_without_end(self):
        front = Front("hold")
        begun = time.monotonic()
        with self.assertRaises(OSError):
            list(assay.Client(front.url, KEY, retries=0, timeout=0.5).all_traders())
        with self.assertRaises(OSError):
            assay.Client(Front("hold").url, KEY, retries=0).list_traders(timeout=0.5)
        self.assertLess(time.monotonic() - begun, 15)
        front.released.set()

    def test_a_redirect_does_not_get_the_key(self):
        thief = Front()
        with self.assertRaises(assay.Problem):
            assay.Client(Front((302, {"Location": thief.url})).url, KEY).list_traders()
        self.assertEqual(thief.requests, 0)

    def test_changes_are_made_once(self):
        front = Front("lose", "half")
        made = assay.Client(front.url, KEY).create_trader({"full_name": "Once Python"})
        self.assertEqual(front.requests, 3)
        found = self.client.list_traders(search="once python")["data"]
        self.assertEqual([trader["id"] for trader in found], [made["id"]])

    def test_the_client_waits_as_long_as_the_server_asks(self):
        front = Front((429, {"Retry-After": "0"}), (503, {"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"}))
        assay.Client(front.url, KEY).list_traders()
        self.assertEqual(front.requests, 3)
        with self.assertRaises(assay.Problem) as refused:
            assay.Client(Front((429, {"Retry-After": "120"})).url, KEY).list_traders()
        self.assertEqual(refused.exception.status, 429)
        front = Front(*[(409, {"Retry-After": "0"})] * 8)
        assay.Client(front.url, KEY).list_traders()
        self.assertEqual(front.requests, 9, "an attempt that is still carried out is not a failed one")

    def test_a_certificate_that_is_not_valid_is_not_tried_again(self):
        attempts = Attempts(RetryPolicy(4, 65), urllib.request.Request(URL))
        self.assertIsNone(attempts.pause(urllib.error.URLError(ssl.SSLCertVerificationError("expired"))))
        self.assertIsNotNone(attempts.pause(urllib.error.URLError(ConnectionResetError())))

    def test_a_conditional_change_whose_answer_is_lost_is_not_tried_again(self):
        trader = self.client.create_trader({"full_name": "Conditional"})["id"]
        header = Message()
        self.client.get_trader(trader, response_header=header)
        front = Front("lose")
        with self.assertRaises((OSError, http.client.HTTPException)):
            assay.Client(front.url, KEY).update_trader(trader, {"country": "DE"}, if_match=header["ETag"])
        self.assertEqual(front.requests, 1)

    def test_a_deletion_whose_answer_is_lost_has_succeeded(self):
        made = self.client.create_webhook({"url": "https://hooks.example.com", "events": ["*"]})["id"]
        front = Front("lose")
        assay.Client(front.url, KEY).delete_webhook(made)
        self.assertEqual(front.requests, 2)
        with self.assertRaises(assay.Problem) as refused:
            self.client.delete_webhook(made)
        self.assertEqual(refused.exception.code, "not_found")

    def test_files_and_conditions(self):
        trader = self.client.create_trader({"full_name": "Zoe Python", "phone": "+49 30 1"})["id"]
        upload = assay.Upload(STATEMENT.encode(), "statement.csv", {"timezone": "Europe/Prague"})
        made = self.client.upload_activity_file(trader, upload)
        with self.client.download_activity_file(trader, made["id"]) as file:
            self.assertEqual((file.name, file.read().decode()), ("statement.csv", STATEMENT))
        with tempfile.TemporaryDirectory() as dir, self.assertRaises(http.client.IncompleteRead):
            assay.Client(Front("half").url, KEY).download_activity_file(trader, made["id"]).save(f"{dir}/statement.csv")
        header = Message()
        self.client.get_trader(trader, response_header=header)
        changed = self.client.update_trader(trader, {"country": "DE", "phone": None}, if_match=header["ETag"])
        self.assertEqual((changed["country"], changed["phone"]), ("DE", None))
        with self.assertRaises(assay.Problem) as refused:
            self.client.update_trader(trader, {"country": "FR"}, if_match=header["ETag"])
        self.assertEqual(refused.exception.code, "precondition_failed")

    def test_changes_arrive(self):
        begun, made = 0, None
        for change in assay.Client(Front((503, {"Retry-After": "0"}), "cut").url, KEY).changes():
            if change.topic == "":
                begun += 1
                if begun == 2:
                    made = self.client.create_trader({"full_name": "Late Python"})["id"]
            elif made and change.id == made:
                break
        self.assertEqual(begun, 2)
        with self.assertRaises(assay.Problem):
            next(assay.Client(URL, "svc_live_x").changes())

    def test_webhooks_are_verified(self):
        with open(os.environ["MESSAGES"], encoding="utf-8") as file:
            [message] = json.load(file)
        headers, body, secret = message["headers"], message["body"].encode(), message["secret"]
        other = "whsec_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB"
        self.assertEqual(assay.parse_webhook(headers, body, other, secret)["id"], headers["webhook-id"])
        late = time.time() + 3600
        for h, b, s, now in ((headers, body + b" ", secret, None), (headers, body, other, None), ({}, body, secret, None), (headers, body, secret, late)):
            self.assertRaises(assay.WebhookSignatureError, assay.parse_webhook, h, b, s, now=now)
        self.assertRaises(ValueError, assay.parse_webhook, headers, body, "whsec_")
        now = int(time.time())
        signed = {"Webhook-Id": "evt_1", "Webhook-Timestamp": str(now), "Webhook-Signature": f"v1,é {assay.sign_webhook(other, 'evt_1', now, b'{}')}"}
        self.assertEqual(assay.parse_webhook(signed, b"{}", other + "\n"), {})  # as a file has it


class Async(unittest.IsolatedAsyncioTestCase):
    async def test_lists_and_files(self):
        client = assay.AsyncClient(URL, KEY)
        seen = {trader["id"] async for trader in client.all_traders(limit=25)}
        self.assertGreaterEqual(len(seen), 60)
        file = await client.export_traders()
        self.assertIn(b",", await file.read())

    async def test_requests_are_made_at_the_same_time(self):
        client = assay.AsyncClient(URL, KEY)
        lists = await asyncio.gather(*(client.list_traders(page=page, limit=10) for page in range(1, 7)))
        self.assertEqual(len({trader["id"] for page in lists for trader in page["data"]}), 60)

    async def test_a_wait_ends_with_the_task(self):
        front = Front((503, {"Retry-After": "60"}))
        with self.assertRaises(TimeoutError):
            await asyncio.wait_for(assay.AsyncClient(front.url, KEY).list_traders(), 2)
        self.assertEqual(front.requests, 1)

    async def test_changes_arrive(self):
        client, begun, made = assay.AsyncClient(URL, KEY), 0, None
        async for change in assay.AsyncClient(Front((503, {"Retry-After": "0"}), "cut").url, KEY).changes():
            if change.topic == "":
                begun += 1
                if begun == 2:
                    made = (await client.create_trader({"full_name": "Late Async"}))["id"]
            elif made and change.id == made:
                break
        self.assertEqual(begun, 2)

    async def test_following_ends_with_the_task(self):
        front = Front("hold")
        with self.assertRaises(TimeoutError):
            async with asyncio.timeout(1):
                async for _ in assay.AsyncClient(front.url, KEY).changes():
                    pass
        front.released.set()
        self.assertFalse(front.gave_up, "the task waited for the server")


unittest.main()
