import { expect, it } from "vitest";

import { metricName, metricValue } from "./metric";

it.each([
  ["seconds_chi2", "Unevenness of opening seconds"],
  ["hold_p95", "Holding time, 95th percentile"],
  ["hold_p1", "Holding time, 1st percentile"],
  ["decision_loss_p50", "Loss of a decision, median"],
  ["decisions_per_day_p75", "Decisions per day, 75th percentile"],
  ["burst_trade_share", "Burst trade share"],
])("%s is called %s", (name, called) => expect(metricName(name)).toBe(called));

it.each<[number | null, string, string]>([
  [null, "count", "–"],
  [0.125, "share", "12.5%"],
  [12, "count", "12"],
  [2.5, "count", "2.5"],
  [200, "money", "200"],
  [31.456, "chi2", "31.46 (χ²)"],
  [12.5, "seconds", "12.5 s"],
  [33178, "seconds", "9 h 12 min"],
  [0.5, "index", "0.5"],
  [2, "lots", "2 lots"],
])("%s in %s is written %s", (value, unit, text) => expect(metricValue({ name: "any", unit }, value)).toBe(text));

it("writes risks as the texts of reports do", () => expect(metricValue({ name: "decision_risk_p50", unit: "share" }, 0.0021)).toBe("0.21%"));
