import { beforeEach, expect, test, vi } from "vitest";

import { events } from "../../../api/events";
import { ofSaved, passedText, type Report, type Step } from "./check";

vi.mock("../../../api/events", () => ({ events: vi.fn() }));

const told: Step[] = [];
beforeEach(() => (told.length = 0));

function says(...list: { name: string; data: unknown }[]): void {
  vi.mocked(events).mockImplementation(async function* () {
    yield* list;
  });
}

test("each step is told, and the report is the outcome", async () => {
  says({ name: "step", data: "a" }, { name: "of_a_newer_server", data: "x" }, { name: "step", data: "b" }, { name: "report", data: "all" }, { name: "step", data: "late" });
  expect(await ofSaved("a/b")((step) => told.push(step))).toBe("all");
  expect(told).toEqual(["a", "b"]);
  expect(events).toHaveBeenCalledWith("/v1/integrations/a%2Fb/test", undefined);
});

test("a check that ends without a report has failed", async () => {
  says({ name: "step", data: "a" });
  await expect(ofSaved("1")(() => {})).rejects.toMatchObject({ code: "broken_off" });
});

test("a check that passed with a warning says so", () => {
  const report = (...statuses: string[]) => ({ ok: true, steps: statuses.map((status) => ({ status })) }) as Report;
  expect(passedText(report("passed", "skipped"))).toBe("assay can read everything it needs.");
  expect(passedText(report("passed", "warned"))).toBe("assay can read the platform. Look at the warning before you connect.");
  expect(passedText(report("warned", "warned"))).toBe("assay can read the platform. Look at the warnings before you connect.");
});
