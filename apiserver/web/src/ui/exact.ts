// Numbers of answers that a number of JavaScript cannot hold. The server's decimals are exact, with up
// to 1,000 digits on either side of the point, and pages show them as they are.

/** A number with all its digits. In arithmetic it is the nearest number of JavaScript. */
export class Exact {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  valueOf(): number {
    return Number(this.text);
  }

  toString(): string {
    return this.text;
  }

  /** Keeps the digits in JSON where the browser can write them as a number. */
  toJSON(): unknown {
    const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };
    return rawJSON ? rawJSON(this.text) : this.text;
  }
}

/** The digits of a number that may be an Exact, as Intl.NumberFormat takes them. */
export const digitsOf = (n: number): number | Intl.StringNumericLiteral => {
  const value: unknown = n;
  return value instanceof Exact ? (value.text as Intl.StringNumericLiteral) : n;
};

/** Whether a number of JavaScript has all digits of the text. */
function holds(text: string): boolean {
  const value = Number(text);
  if (String(value) === text) return true;
  const digits = text
    .replace(/[eE].*/, "")
    .replace(/\D/g, "")
    .replace(/^0+|0+$/g, "");
  return Number.isFinite(value) && digits.length <= 15 && (value !== 0 || digits === "");
}

// A text, which may contain what looks like a number, or a number.
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

// What may be a number that a number of JavaScript cannot hold: it has an exponent, or 16 characters or more. It may
// also be a piece of a text.
const candidates = /(?:^|[[:,\s])(-?\d[\d.]*[eE][+-]?\d+|-?\d[\d.]{15,})/g;

function mayRound(json: string): boolean {
  for (const [, digits = ""] of json.matchAll(candidates)) if (!holds(digits)) return true;
  return false;
}

// What begins a text that stands for a number. No text of the server has it, because Postgres stores none.
const mark = "\0";

/** As JSON.parse, with an Exact in the place of each number that a number of JavaScript cannot hold. */
export function parseExactly(json: string): unknown {
  if (!mayRound(json)) return JSON.parse(json); // by far the fastest
  let found = false;
  const marked = json.replace(tokens, (token) => {
    if (token.startsWith('"') || holds(token)) return token;
    found = true;
    return `"\\u0000${token}"`;
  });
  if (!found) return JSON.parse(json);
  return JSON.parse(marked, (_, value: unknown) => (typeof value === "string" && value.startsWith(mark) ? new Exact(value.slice(1)) : value));
}
