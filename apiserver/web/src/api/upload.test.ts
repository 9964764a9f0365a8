import { expect, test, vi } from "vitest";

import { upload } from "./upload";

/** A browser that gets no answer, whatever it sends. */
class Unanswered {
  upload = {};
  onerror = () => {};
  open() {}
  setRequestHeader() {}
  send() {
    queueMicrotask(() => this.onerror());
  }
}

/** A file that somebody has saved again, which browsers refuse to read. */
class Changed extends File {
  override slice() {
    const part = new Blob();
    part.arrayBuffer = () => Promise.reject(new DOMException("changed", "NotReadableError"));
    return part;
  }
}

test.each([
  ["a lost connection", new File(["a,b"], "statement.csv"), "offline"],
  ["a file that changed after it was selected", new Changed(["a,b"], "statement.csv"), "file_changed"],
])("%s is told as such", async (_, file, code) => {
  vi.stubGlobal("XMLHttpRequest", Unanswered);
  const form = new FormData();
  form.set("timezone", "UTC");
  // A form of the tests' own makes another File of it.
  vi.spyOn(form, "values").mockReturnValue(["UTC", file].values() as ReturnType<FormData["values"]>);
  await expect(upload("/v1/traders/t1/activity-files", form, () => {}, new AbortController().signal)).rejects.toMatchObject({ status: 0, code });
});
