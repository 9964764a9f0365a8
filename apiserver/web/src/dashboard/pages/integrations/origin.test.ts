import { expect, test } from "vitest";

import { sameOrigin } from "./origin";

test.each<[string, boolean]>([
  ["https://api.firm.example/alpha", true],
  ["https://API.firm.example:443/beta", true],
  ["https://api.firm.example:8443/alpha", false],
  ["http://api.firm.example/alpha", false],
  ["https://api.other.example/alpha", false],
  ["https://", true],
  ["", true],
])("%s", (address, want) => expect(sameOrigin("https://api.firm.example/alpha", address)).toBe(want));
