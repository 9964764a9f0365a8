import { expect, test } from "vitest";

import type { Schema } from "../../../api/client";
import { exactShare, repaired, whyNot } from "./audits";

const audited = (changes: object) => ({ note: null, status: "compared", records_absent: 0, records_stale: 0, ...changes }) as unknown as Schema<"AuditedResource">;

test.each([
  [1, "100%"],
  [0.99987, "99.98%"],
  [0.99999999, "99.99%"],
  [999_999_999 / 1_000_000_000, "99.99%"],
  [0.57, "57%"],
  [0.0003, "0.03%"],
  [0.5, "50%"],
  [0, "0%"],
])("the share %s is %s, and never looks whole when it is not", (ratio, want) => expect(exactShare(ratio)).toBe(want));

test("no share is written as less than it is", () => {
  for (let hundredths = 0; hundredths <= 10_000; hundredths++) expect(parseFloat(exactShare(hundredths / 10_000))).toBe(hundredths / 100);
});

test.each<[object, string]>([
  [{}, ""],
  [{ status: "skipped" }, "The platform doesn’t provide it."],
  [{ note: "endless_list" }, "The list did not end."],
  [{ note: "of_a_newer_server", status: "skipped" }, "of a newer server"],
])("why there is no ratio of %o", (changes, want) => expect(whyNot(audited(changes))).toBe(want));

test("records that came anew and records that were stale are repaired", () => expect(repaired(audited({ records_absent: 2, records_stale: 3 }))).toBe(5));
