import { Problem, type Schema } from "../../../api/client";
import { events } from "../../../api/events";

export type Step = Schema<"ConnectionStep">;
export type Report = Schema<"ConnectionReport">;

/** Makes a live check and tells each step as soon as it is over. */
export type Check = (told: (step: Step) => void) => Promise<Report>;

/** A live check of settings that are not saved. */
export const ofSettings =
  (settings: Schema<"NewIntegration">): Check =>
  (told) =>
    follow("/v1/integrations/test", settings, told);

/** A live check of a connection as it is saved. Its outcome is kept. */
export const ofSaved =
  (id: string): Check =>
  (told) =>
    follow(`/v1/integrations/${encodeURIComponent(id)}/test`, undefined, told);

/** What a check that passed has shown. */
export function passedText(report: Report): string {
  const warnings = report.steps.filter((step) => step.status === "warned").length;
  if (warnings === 0) return "assay can read everything it needs.";
  return `assay can read the platform. Look at the warning${warnings === 1 ? "" : "s"} before you connect.`;
}

async function follow(path: string, body: unknown, told: (step: Step) => void): Promise<Report> {
  for await (const event of events(path, body)) {
    if (event.name === "step") told(event.data as Step);
    if (event.name === "report") return event.data as Report;
  }
  throw new Problem(0, "broken_off");
}
