// Which fields of a form show what the server refused. A field says so by attributes of the element around it:
// data-pointer, the member that it is about (empty: all of them), data-exact, if not what lies in the member, and
// data-wrong, while it shows a fault.
import type { Fault } from "../api/client";

/** A field that shows faults. */
export interface Shown {
  /** The JSON pointer of its member, such as "#/name"; empty: it shows all faults. */
  pointer: string;
  /** Whether it shows no faults of what lies in the member. */
  exact: boolean;
}

/** The fields of a form. */
export const fieldsOf = (form: Element): Shown[] =>
  [...form.querySelectorAll<HTMLElement>("[data-pointer]")].map(({ dataset }) => ({ pointer: dataset.pointer ?? "", exact: dataset.exact !== undefined }));

const shows = (field: Shown, fault: Fault) =>
  field.pointer === "" || fault.pointer === field.pointer || (!field.exact && (fault.pointer?.startsWith(`${field.pointer}/`) ?? false));

/** The faults that no field shows, which have to be said elsewhere. */
export const unshown = (faults: Fault[], fields: Shown[]): Fault[] => faults.filter((fault) => !fields.some((field) => shows(field, fault)));

/** Moves the focus to the first field of a form that shows a fault, unless the reader has gone elsewhere meanwhile. */
export function focusFault(form: Element): void {
  const now = document.activeElement;
  if (now !== null && now !== document.body && !form.contains(now)) return;
  const field = form.querySelector<HTMLElement>("[data-wrong]");
  for (let folded = field?.closest("details"); folded; folded = folded.parentElement?.closest("details")) folded.open = true;
  field?.querySelector<HTMLElement>(":is(input, select, textarea, button):not(:disabled)")?.focus();
}
