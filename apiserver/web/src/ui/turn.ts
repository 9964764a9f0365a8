// Pieces of work that nobody waits for, such as what lies further below: one after
// the other, each when the browser has nothing else to do.

/** How long a busy page puts the next piece off at most, in milliseconds. */
const patience = 300;

const waiting: (() => void)[] = [];
let asked = false;
/** Where what the running piece asks for comes; null: none is running. */
let place: number | null = null;

/** Safari has no requestIdleCallback. */
const whenIdle = (fn: () => void) => void ("requestIdleCallback" in window ? requestIdleCallback(fn, { timeout: patience }) : setTimeout(fn, 1));

function next(): void {
  asked = false;
  const piece = waiting.shift();
  place = 0;
  try {
    piece?.();
  } finally {
    place = null;
    if (waiting.length > 0) ask();
  }
}

function ask(): void {
  if (asked) return;
  asked = true;
  whenIdle(next);
}

/**
 * Does the work after what was given earlier; what a piece gives while it runs comes
 * before what waits already. The function that it returns takes the work back.
 */
export function inTurn(piece: () => void): () => void {
  if (place === null) waiting.push(piece);
  else waiting.splice(place++, 0, piece);
  ask();
  return () => {
    const at = waiting.indexOf(piece);
    if (at >= 0) waiting.splice(at, 1);
  };
}

/**
 * Does the work once the browser has painted what answers a click at once, such as a mark: for work that
 * draws much anew.
 */
export function afterPaint(work: () => void): void {
  if (document.hidden)
    work(); // nothing is painted
  else requestAnimationFrame(() => setTimeout(work));
}
