import type { Fault, Problem } from "../api/client";

/** A problem in plain words: what happened, and what the reader can do. */
export interface Explained {
  what: string;
  remedy: string;
  /** Whether the same may work in a moment. */
  temporary: boolean;
}

const known: Record<string, Omit<Explained, "temporary">> = {
  offline: { what: "There is no connection to the server.", remedy: "This page tries again when the connection is back, and keeps what you entered." },
  cancelled: { what: "Canceled.", remedy: "" },
  broken_off: { what: "The server’s response was interrupted.", remedy: "Try again." },
  file_changed: { what: "The file changed after you selected it.", remedy: "Select it again." },
  page_error: { what: "Something on this page went wrong.", remedy: "Reload the page. If it happens again, contact your administrator." },
  not_found: { what: "Not found.", remedy: "It may have been deleted, or the address is wrong." },
  insufficient_scope: { what: "Your role does not allow this.", remedy: "Ask an owner of your organization to do it or to change your role." },
  internal_error: { what: "Something went wrong on the server.", remedy: "Try again. If it happens again, contact your administrator and include the request ID below." },
  service_unavailable: { what: "The server cannot do this right now.", remedy: "Try again in a moment." },
  rate_limited: { what: "Too many requests.", remedy: "Wait a moment, then try again." },
  precondition_failed: { what: "Someone else changed this.", remedy: "Reload it and review the changes before you save." },
  integration_exists: {
    what: "This platform is already connected with this key.",
    remedy: "Use that integration: change its settings, resume it, or check its connection. A different tenant needs its own key.",
  },
  different_platform: {
    what: "These settings point to a different platform: its traders don’t match this integration. Nothing was changed.",
    remedy: "Connect it as a new integration, so that notes, interviews and decisions stay with the right traders.",
  },
  invalid_credentials: { what: "Wrong email or password.", remedy: "" },
  session_expired: { what: "Your session has ended.", remedy: "Sign in again." },
};

/** A problem in plain words, with these of its faults. What the server says of a case in particular goes before what is said of its kind. */
export function explain(problem: Problem, faults: Fault[] = problem.errors): Explained {
  const { code, status, detail, title, retryAfter } = problem;
  const temporary = status === 0 || status === 408 || status === 429 || status >= 500;
  const general = known[code];
  if (general) {
    const own = detail !== "" && detail !== title && (code === "service_unavailable" || code === "not_found") ? detail : general.what;
    const wait = retryAfter ? `Wait ${retryAfter} ${retryAfter === 1 ? "second" : "seconds"}, then try again.` : general.remedy;
    return { what: own.replace(/ Try again( later)?\.$/, ""), remedy: wait, temporary };
  }
  if (faults.length > 0) {
    const elsewhere = faults.map((e) => `${named(e.pointer ?? e.parameter ?? e.header ?? "")}${e.detail}`);
    return { what: elsewhere.join(" "), remedy: "", temporary };
  }
  return { what: detail || title || `The server answered ${status}.`, remedy: temporary ? "Try again in a moment." : "", temporary };
}

/** "#/base_url" → "base url: ". */
function named(pointer: string): string {
  const name = pointer
    .replace(/^#?\/?/, "")
    .replaceAll("_", " ")
    .replaceAll("/", " ");
  return name === "" ? "" : `${name}: `;
}
