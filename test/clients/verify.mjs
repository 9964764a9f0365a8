// Verifies webhooks with the libraries that receivers use. Reads a JSON array of
// {secret, headers, body} and prints how many were verified by each.
//
//   node verify.mjs FILE
import fs from "node:fs";

import { Webhook as Standard } from "standardwebhooks";
import { Webhook as Svix } from "svix";

const messages = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
for (const [name, Webhook] of Object.entries({ standardwebhooks: Standard, svix: Svix })) {
  let verified = 0;
  for (const { secret, headers, body } of messages) {
    const event = new Webhook(secret).verify(body, headers); // throws
    if (event.id !== headers["webhook-id"]) throw new Error(`${event.id} came as ${headers["webhook-id"]}`);
    const forged = body.replace("}", " }");
    try {
      new Webhook(secret).verify(forged, headers);
    } catch {
      verified++;
      continue;
    }
    throw new Error(`${name} takes a forged body`);
  }
  console.log(`${name} ${verified}`);
}
