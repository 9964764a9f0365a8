/** Whether two addresses have the same scheme, host and port. One that is incomplete counts as the same until it is complete. */
export function sameOrigin(a: string, b: string): boolean {
  try {
    return new URL(a).origin === new URL(b).origin;
  } catch {
    return true;
  }
}
