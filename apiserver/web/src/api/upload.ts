import { credentials, Problem, refusal } from "./client";

function send(path: string, form: FormData, progress: (share: number) => void, signal: AbortSignal): Promise<{ response: Response; body: unknown }> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(); // fetch does not tell how much has been sent
    request.open("POST", path);
    request.responseType = "json";
    request.setRequestHeader("X-CSRF-Token", credentials.csrf);
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.onload = () => {
      const headers = new Headers();
      for (const name of ["X-Request-Id", "Retry-After"]) {
        const value = request.getResponseHeader(name);
        if (value) headers.set(name, value);
      }
      resolve({ response: new Response(null, { status: request.status, headers }), body: request.response });
    };
    request.onerror = () => reject(new Problem(0, "offline"));
    request.onabort = () => reject(new Problem(0, "cancelled"));
    signal.addEventListener("abort", () => request.abort());
    request.send(form);
  });
}

/** What a file is about that the browser refuses to read, because it is not what was selected any more. */
export const fileChanged = () => new Problem(0, "file_changed");

/** Whether a file of the form has changed or gone since it was selected: browsers send nothing then, as without a connection. */
async function hasChanged(form: FormData): Promise<boolean> {
  const files = [...form.values()].filter((value) => value instanceof File);
  const reads = await Promise.allSettled(files.map((file) => file.slice(0, 1).arrayBuffer()));
  return reads.some((read) => read.status === "rejected");
}

/**
 * Sends a form with files to a route of this origin; progress hears what share of it
 * has been sent, 0 to 1. Throws a Problem unless it was taken.
 */
export async function upload(path: string, form: FormData, progress: (share: number) => void, signal: AbortSignal): Promise<unknown> {
  let answer: Awaited<ReturnType<typeof send>>;
  try {
    answer = await send(path, form, progress, signal);
  } catch (thrown) {
    throw thrown instanceof Problem && thrown.code === "offline" && (await hasChanged(form)) ? fileChanged() : thrown;
  }
  if (answer.response.status === 403 && (answer.body as { code?: string } | null)?.code === "csrf_failed") {
    // Another tab has signed in anew.
    if (await credentials.renew()) answer = await send(path, form, progress, signal);
  }
  if (!answer.response.ok) throw refusal(answer.response, answer.body);
  return answer.body;
}
