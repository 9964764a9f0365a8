/** Moves the focus to what has just appeared, so that people who hear the page are told of it. */
export function focus(node: HTMLElement): void {
  node.focus();
}
