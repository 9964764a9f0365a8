/** Which colours a page has: those of the system, or always the same. */
export type Scheme = "system" | "light" | "dark";

const stored = "assay-scheme";

function saved(): Scheme {
  const value = localStorage.getItem(stored);
  return value === "light" || value === "dark" ? value : "system";
}

let chosen = $state<Scheme>("system");

/** What the reader has chosen in this browser. */
export const scheme = {
  get value(): Scheme {
    return chosen;
  },
  set value(value: Scheme) {
    chosen = value;
    localStorage.setItem(stored, value);
    show();
  },
};

function show(): void {
  if (chosen === "system") delete document.documentElement.dataset.scheme;
  else document.documentElement.dataset.scheme = chosen;
}

/** Takes over what was chosen before, and what is chosen in other tabs. */
export function applyScheme(): void {
  const take = () => {
    chosen = saved();
    show();
  };
  take();
  addEventListener("storage", (event) => event.key === stored && take());
}
