// A trading platform's side of the customer platform contract: the first try.
// node first.mjs KEY CERT.pem KEY.pem prints the port it listens on.
import fs from "node:fs";
import https from "node:https";

const [key, cert, certKey] = process.argv.slice(2);
const tables = makeTables();

const server = https.createServer({ cert: fs.readFileSync(cert), key: fs.readFileSync(certKey) }, (req, res) => {
  const url = new URL(req.url, "https://platform");
  const [, name, id] = url.pathname.split("/");

  if (name === "health") {
    return send(res, 200, { status: "OK" });
  }
  if (req.headers.authorization !== `Bearer ${key}`) {
    return send(res, 401, { message: "unauthorized" });
  }
  if (name === "traders" && id) {
    return send(res, 200, { data: tables.traders.find((row) => row.id === id) });
  }
  if (!tables[name]) {
    return send(res, 404, { message: "not found" });
  }
  send(res, 200, list(tables[name], url.searchParams));
});

function list(rows, query) {
  const since = query.get("updated_since");
  const offset = Number(query.get("cursor") ?? 0);
  const limit = Number(query.get("limit") ?? 1000);
  const found = rows
    .filter((row) => !since || row.updated_at > since)
    .filter((row) => row.close_time !== null)
    .sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
  const data = found.slice(offset, offset + limit);
  return { data, next_cursor: offset + limit };
}

function send(res, status, body) {
  res.writeHead(status, { "Content-Type": "application/json" });
  res.end(JSON.stringify(body));
}

// What a database would hold: 40 traders with an account each, 240 trades, of
// which the last eight are open, and a payout for every fourth trader.
function makeTables() {
  const hour = 3600_000;
  const now = Math.floor(Date.now() / 1000) * 1000;
  const at = (hours) => new Date(now - hours * hour).toISOString();
  const traders = [];
  const accounts = [];
  const trades = [];
  const payouts = [];
  for (let i = 0; i < 40; i++) {
    // Batches of four are changed at once.
    const changed = at(1000 - 20 * Math.floor(i / 4));
    traders.push({ id: `t${100 + i}`, updated_at: changed, email: `trader${i}@example.com`, full_name: `Trader ${i}`, country: "DE" });
    accounts.push({
      id: `a${100 + i}`, trader_id: `t${100 + i}`, updated_at: changed, platform: "mt5", phase: "funded", status: "active",
      currency: "EUR", initial_balance: 10000, balance: 10000 + i, equity: i < 8 ? 10050 + i : 10000 + i,
    });
    if (i % 4 === 0) {
      payouts.push({ id: `p${100 + i}`, trader_id: `t${100 + i}`, account_id: `a${100 + i}`, status: "pending", updated_at: changed, amount: 120.5, currency: "EUR", paid_at: null });
    }
  }
  for (let i = 0; i < 240; i++) {
    const open = i >= 232;
    const opened = at(2000 - 8 * i);
    trades.push({
      id: String(7000 + i), account_id: `a${100 + (i % 40)}`, symbol: "EURUSD", side: i % 3 ? "buy" : "sell", volume: 0.5,
      open_time: opened, open_price: 1.1, close_time: open ? null : at(1997 - 8 * i), close_price: open ? null : 1.2,
      profit: open ? null : 12.5, updated_at: open ? opened : at(1997 - 8 * i),
    });
  }
  return { traders, accounts, trades, payouts };
}

server.listen(0, "127.0.0.1", () => console.log(server.address().port));
