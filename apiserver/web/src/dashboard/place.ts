// Going back shows a page where the reader left it. A browser that does this by itself scrolls at once,
// when the page has not read yet what makes it long.

/** How long a page may take to become as long as it was, in milliseconds. */
const patience = 5000;

/** What a step of the back button knows of its page. */
interface Step {
  /** How far it was scrolled. */
  y: number;
}

/** Begins to keep how far each page was scrolled. */
export function keepPlaces(): void {
  if (!("onscrollend" in window)) return; // then the browser does what it can
  history.scrollRestoration = "manual";
  let wanted: number | null = null;
  let timer = 0;

  const forget = () => (wanted = null);
  const restore = () => {
    if (wanted !== null) scrollTo(0, wanted);
  };
  const look = () => {
    wanted = (history.state as Step | null)?.y ?? null; // null: the reader has followed a link within the page
    clearTimeout(timer);
    timer = setTimeout(forget, patience);
    restore();
  };

  addEventListener("scrollend", () => {
    if (wanted === null) history.replaceState({ y: scrollY } satisfies Step, "");
  });
  addEventListener("popstate", look);
  for (const kind of ["wheel", "touchstart", "pointerdown", "keydown"]) addEventListener(kind, forget, { passive: true, capture: true });
  new ResizeObserver(restore).observe(document.body);
  look();
}
