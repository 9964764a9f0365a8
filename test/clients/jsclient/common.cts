// Uses the package in a CommonJS module, which TypeScript resolves in its oldest way.
import { Assay, Problem } from "@assay/client";

const assay = new Assay({ url: process.env.WALK_URL!, key: process.env.WALK_KEY! });

async function print(): Promise<void> {
  const { meta } = await assay.get("/v1/traders", { query: { limit: 1 } });
  const refused: unknown = await assay.get("/v1/traders/{id}", { path: { id: "nobody" } }).catch((err: unknown) => err);
  console.log(meta.limit, refused instanceof Problem && refused.code);
}

void print();
