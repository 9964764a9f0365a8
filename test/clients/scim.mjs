// Provisions people through SCIM and holds the answers against published libraries: users and
// errors against SCIMMY's schemas, patches against scim-patch, filters against
// scim2-parse-filter. Prints how many of each were compared.
//
//   SCIM_URL=https://…/scim/v2 SCIM_KEY=… node scim.mjs SEED
import assert from "node:assert/strict";

import { scimPatch } from "scim-patch";
import { filter as passes, parse } from "scim2-parse-filter";
import SCIMMY from "scimmy";

const base = process.env.SCIM_URL;
let state = Number(process.argv[2]);

// random returns a whole number below n. It is mulberry32, so that a seed repeats a run.
function random(n) {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) % n;
}
const pick = (list) => list[random(list.length)];

// call sends a request and returns the body of the answer, which must have the status.
async function call(method, path, status, body) {
  const headers = { Authorization: `Bearer ${process.env.SCIM_KEY}`, "Content-Type": "application/scim+json", Accept: "application/scim+json" };
  const answer = await fetch(base + path, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  assert.equal(answer.status, status, `${method} ${path} ${JSON.stringify(body)}: ${text}`);
  return text && JSON.parse(text);
}

// readUser requires that a body is a user by the published schema.
function readUser(body) {
  assert.ok(new SCIMMY.Schemas.User(structuredClone(body), "out").id, JSON.stringify(body));
  assert.ok(Date.parse(body.meta.created) <= Date.parse(body.meta.lastModified));
  assert.equal(new URL(body.meta.location).pathname, `/scim/v2/Users/${body.id}`);
  return body;
}

// readError requires that a body is an error, which the library throws again.
function readError(body, want) {
  assert.throws(() => new SCIMMY.Messages.ErrorResponse(body), want);
}

const config = await call("GET", "/ServiceProviderConfig", 200);
assert.ok(config.patch.supported && config.filter.supported && !config.bulk.supported);
for (const path of ["/Schemas", "/ResourceTypes"]) {
  const list = new SCIMMY.Messages.ListResponse(await call("GET", path, 200));
  assert.ok(list.totalResults >= 1 && list.Resources.length === list.totalResults, path);
}

const coreUser = "urn:ietf:params:scim:schemas:core:2.0:User";
const patchOp = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const roles = ["viewer", "reviewer", "owner"];
const texts = ["Zoe Miller", "Zoë", "محمد", "李 雷", 'a "b" \\c', "O'Brien"];
const users = [];
for (let i = 0; i < 12; i++) {
  const user = { schemas: [coreUser], userName: `p${i}@example.com`, displayName: pick(texts), active: random(4) > 0, roles: [{ value: pick(roles) }], externalId: `x-${i}` };
  users.push(readUser(await call("POST", "/Users", 201, user)));
  readError(await call("POST", "/Users", 409, user), { status: "409", scimType: "uniqueness" });
}

// newOperation returns an operation on what is kept, in one of the ways in which providers write it.
function newOperation(i) {
  const op = pick(["replace", "add", "Replace", "Add"]);
  const [path, value] = pick([
    ["displayName", pick(texts)],
    ["active", random(2) === 1],
    ["externalId", `x-${i}-${random(1000)}`],
    ["userName", `p${i}.${random(1000)}@example.com`],
    ["title", "Analyst"], // not kept
  ]);
  switch (random(4)) {
    case 0:
      return { op, value: { [path]: value } };
    case 1:
      return { op: "replace", path: "roles", value: [{ value: pick(roles) }] };
    case 2:
      return path === "externalId" ? { op: "remove", path } : { op, path, value };
    default:
      return { op, path, value };
  }
}

// kept returns what assay keeps of a user.
const kept = (u) => ({ id: u.id, userName: u.userName, displayName: u.displayName, active: u.active, externalId: u.externalId, roles: u.roles.map((r) => r.value) });

let patches = 0;
for (; patches < 300; patches++) {
  const i = random(users.length);
  const patch = { schemas: [patchOp], Operations: Array.from({ length: 1 + random(3) }, () => newOperation(i)) };
  const want = scimPatch(structuredClone(users[i]), structuredClone(patch).Operations);
  users[i] = readUser(await call("PATCH", `/Users/${users[i].id}`, 200, patch));
  assert.deepEqual(kept(users[i]), kept(want), JSON.stringify(patch));
}

// The library tells capitals from small letters, and these attributes have no case.
const lower = (u) => ({ ...u, userName: u.userName.toLowerCase(), displayName: u.displayName.toLowerCase() });
const everybody = (await call("GET", "/Users?count=100", 200)).Resources.map(lower);

// newFilter returns a filter over what is kept.
function newFilter(depth) {
  const quoted = (text) => JSON.stringify(text);
  const u = pick(everybody);
  const simple = () =>
    pick([
      () => `userName ${pick(["eq", "ne", "sw", "co", "ew"])} ${quoted(pick([u.userName, u.userName.slice(0, 3), "@example.com"]))}`,
      () => `displayName ${pick(["eq", "sw", "co"])} ${quoted(pick([u.displayName, u.displayName.slice(0, 1)]))}`,
      () => `active eq ${random(2) === 1}`,
      () => `externalId ${pick(["eq", "sw"])} ${quoted(u.externalId ?? "x-1")}`,
      () => `id eq ${quoted(u.id)}`,
      () => `roles[value eq ${quoted(pick(roles))}]`,
      () => `${pick(["externalId", "displayName", "roles"])} pr`,
    ])();
  switch (depth > 0 ? random(4) : 3) {
    case 0:
      return `${newFilter(depth - 1)} and ${newFilter(depth - 1)}`;
    case 1:
      return `(${newFilter(depth - 1)} or ${newFilter(depth - 1)})`;
    case 2:
      return `not (${newFilter(depth - 1)})`;
    default:
      return simple();
  }
}

let filters = 0;
for (; filters < 200; filters++) {
  const text = newFilter(2);
  const list = new SCIMMY.Messages.ListResponse(await call("GET", `/Users?count=100&filter=${encodeURIComponent(text)}`, 200));
  const want = everybody.filter(passes(parse(text))).map((u) => u.id);
  assert.deepEqual(list.Resources.map((u) => u.id).sort(), want.sort(), text);
}

for (const u of users) {
  await call("DELETE", `/Users/${u.id}`, 204);
  readError(await call("GET", `/Users/${u.id}`, 404), { status: "404" });
}
console.log(`patches ${patches}\nfilters ${filters}`);
