/** Where to go after signing in: the wanted address if it is a path of this site, and of no other. */
export function targetOf(wanted: string): string {
  try {
    // Not URL.parse, which Safari 17 and older, and Chrome and Firefox before 126, do not have.
    return /^\/(?![/\\])/.test(wanted) && new URL(wanted, location.origin).origin === location.origin ? wanted : "/";
  } catch {
    return "/";
  }
}
