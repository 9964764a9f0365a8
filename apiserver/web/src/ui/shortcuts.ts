// The table of the dashboard's shortcuts: what pages bind keys by, and what the dialog shows.

/** A shortcut. */
export interface Shortcut {
  /** As KeyboardEvent.key names it, or a combination in words that the page listens for itself, such as Ctrl+K. */
  key: string;
  does: string;
  /** The name of a shortcut with which it works: the page listens for it otherwise. */
  with?: string;
}

/** The shortcuts by where they work. */
export const groups = {
  "On every page": {
    palette: { key: "Ctrl+K", does: "Search pages, traders, actions and more", with: "search" },
    search: { key: "/", does: "Search, where no field has the focus" },
    help: { key: "?", does: "Show this list" },
  },
  "In lists": {
    nextRow: { key: "j", does: "Next row" },
    previousRow: { key: "k", does: "Previous row" },
    openRow: { key: "Enter", does: "Open the row", with: "nextRow" },
    selectRow: { key: "x", does: "Select the row" },
  },
  "While reviewing an interview": {
    nextStatement: { key: "n", does: "Next statement" },
    previousStatement: { key: "p", does: "Previous statement" },
    playStatement: { key: "Enter", does: "Play or show the statement", with: "nextStatement" },
    play: { key: "k", does: "Play or pause" },
    back: { key: "j", does: "Back ten seconds" },
    forward: { key: "l", does: "Forward ten seconds" },
    slower: { key: "[", does: "Slower" },
    faster: { key: "]", does: "Faster" },
    comment: { key: "c", does: "Comment" },
    decision: { key: "d", does: "Go to the decision" },
    saveDecision: { key: "Ctrl+Enter", does: "Save the decision while choosing it or writing its reason", with: "decision" },
    nextInterview: { key: "q", does: "Next interview in the queue" },
  },
} as const satisfies Record<string, Record<string, Shortcut>>;

type Groups = typeof groups;
/** The name of a shortcut. */
export type Name = { [G in keyof Groups]: keyof Groups[G] }[keyof Groups];

const keys = new Map(Object.values(groups).flatMap((group: Record<string, Shortcut>) => Object.entries(group).map(([name, s]) => [name, s.key] as const)));

/** What is done on each key. */
export const byKey = (acts: Partial<Record<Name, () => void>>): Record<string, () => void> =>
  Object.fromEntries(Object.entries(acts).map(([name, act]) => [keys.get(name) ?? name, act]));
