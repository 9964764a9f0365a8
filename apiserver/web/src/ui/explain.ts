import type { Problem } from "../api/client";

/** A problem in plain words: what happened, and what the reader can do. */
export interface Explained {
  what: string;
  remedy: string;
  /** Whether the same may work in a moment. */
  temporary: boolean;
}

const known: Record<string, Omit<Explained, "temporary">> = {
  offline: { what: "There is no connection to the server.", remedy: "Check your network. Nothing that you entered is lost while this page stays open." },
  cancelled: { what: "You have stopped this.", remedy: "" },
  broken_off: { what: "The answer of the server broke off.", remedy: "Try again." },
  page_error: { what: "Something on this page went wrong.", remedy: "Load the page again. If it happens again, tell whoever runs this server." },
  not_found: { what: "This is not here any more.", remedy: "It may have been deleted meanwhile, or the address is not quite right." },
  insufficient_scope: { what: "Your role does not allow this.", remedy: "Ask an owner of the organization to do it, or to give you another role." },
  internal_error: { what: "Something went wrong on the server.", remedy: "Try again. If it happens again, tell whoever runs this server and name the request below." },
  service_unavailable: { what: "The server cannot do this right now.", remedy: "Try again in a moment." },
  rate_limited: { what: "That were too many requests in a short time.", remedy: "Wait a moment, then try again." },
  precondition_failed: { what: "Somebody else has changed this meanwhile.", remedy: "Load it again and look at what has changed before you save." },
  integration_exists: { what: "This platform is connected with this key already.", remedy: "Use that integration: change its settings, switch it on, or run its live check. Another tenant needs a key of its own." },
  different_platform: {
    what: "These settings lead to another platform: the traders there are not the ones of this integration. Nothing was changed.",
    remedy: "Connect it as a new integration, so that notes, interviews and decisions stay with the people whom they are about.",
  },
  session_expired: { what: "Your session has ended.", remedy: "Sign in again." },
};

/** A problem in plain words. What the server says of a case in particular goes before what is said of its kind. */
export function explain(problem: Problem): Explained {
  const { code, status, detail, title, retryAfter } = problem;
  const temporary = status === 0 || status === 408 || status === 429 || status >= 500;
  const general = known[code];
  if (general) {
    const own = detail !== "" && detail !== title && (code === "service_unavailable" || code === "not_found") ? detail : general.what;
    const wait = retryAfter ? `Wait ${retryAfter} ${retryAfter === 1 ? "second" : "seconds"}, then try again.` : general.remedy;
    return { what: own, remedy: wait, temporary };
  }
  if (problem.errors.length > 0) {
    const elsewhere = problem.errors.map((e) => `${named(e.pointer ?? e.parameter ?? e.header ?? "")}${e.detail}`);
    return { what: elsewhere.join(" "), remedy: "", temporary };
  }
  return { what: detail || title || `The server answered ${status}.`, remedy: temporary ? "Try again in a moment." : "", temporary };
}

/** "#/base_url" → "base url: ". */
function named(pointer: string): string {
  const name = pointer.replace(/^#?\/?/, "").replaceAll("_", " ").replaceAll("/", " ");
  return name === "" ? "" : `${name}: `;
}
