// Pieces of work that nobody waits for, such as what lies further below: one after
// the other, between paints, so that the page answers at once meanwhile.

/** How long the page works on pieces between two paints, in milliseconds. A piece that was begun is finished. */
const budget = 6;

const waiting: (() => void)[] = [];
let asked = false;
/** Where what the running piece asks for comes; null: none is running. */
let place: number | null = null;

/** Nothing is painted of a page that is in the background. */
const betweenPaints = (work: () => void) => (document.hidden ? setTimeout(work, 1) : requestAnimationFrame(() => setTimeout(work)));

function next(): void {
  asked = false;
  const began = performance.now();
  try {
    do {
      place = 0;
      waiting.shift()?.();
    } while (waiting.length > 0 && performance.now() - began < budget);
  } finally {
    place = null;
    if (waiting.length > 0) ask();
  }
}

function ask(): void {
  if (asked) return;
  asked = true;
  betweenPaints(next);
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
  if (document.hidden) work();
  else betweenPaints(work);
}
