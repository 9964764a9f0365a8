// What was recorded lies in the browser's own database before it is sent, so
// that a reload, a lost network or a closed laptop loses nothing. Where that
// database is full, or there is none, it lies in the page's memory until then.

/** A take as this browser keeps it. */
export interface StoredTake {
  key: string;
  interview: string;
  question: string;
  take: number;
  mime: string;
  uploadEndpoint: string;
  /** Where tus goes on; null before the upload was created. */
  uploadURL: string | null;
  bytes: number;
  recordedMs: number;
  /** Hex, known when the take has ended. */
  sha256: string | null;
  ended: boolean;
}

interface Chunk {
  take: string;
  offset: number;
  size: number;
  data: Blob;
}

const name = "assay-interview";

/** How often the page tries to open the database, and the pause between two tries in milliseconds: Safari and Firefox fail now and then. */
const opens = 3;
const openPause = 250;

export function takeKey(interview: string, question: string, take: number): string {
  return `${interview}/${question}/${take}`;
}

export class TakeStorage {
  /** Chunks of takes that the database did not take any more, by key. */
  readonly #memory = new Map<string, Chunk[]>();

  private constructor(
    private db: IDBDatabase | null,
    private readonly full: () => void,
  ) {}

  /** full is called when something is kept in memory alone. */
  static async open(full: () => void): Promise<TakeStorage> {
    return new TakeStorage(await openDatabase(opens).catch(() => null), full);
  }

  /** Whether nobody knows what an earlier page has left here, because the database does not open. */
  get unread(): boolean {
    return this.db === null;
  }

  /** Notes the take. One that is in memory stays in the database as what was broken off. */
  async put(take: StoredTake): Promise<void> {
    if (this.#memory.has(take.key)) return;
    await this.#write(take.key, ["takes"], (tx) => void tx.objectStore("takes").put({ ...take }));
  }

  /** Appends data to the take; take.bytes and take.recordedMs tell of it when the promise resolves. */
  async append(take: StoredTake, data: Blob, recordedMs: number): Promise<void> {
    const chunk: Chunk = { take: take.key, offset: take.bytes, size: data.size, data };
    const grown = { ...take, bytes: take.bytes + data.size, recordedMs };
    const kept =
      !this.#memory.has(take.key) &&
      (await this.#write(take.key, ["takes", "chunks"], (tx) => {
        tx.objectStore("chunks").put(chunk);
        tx.objectStore("takes").put(grown);
      }));
    if (!kept) this.#memory.get(take.key)?.push(chunk);
    take.bytes = grown.bytes;
    take.recordedMs = recordedMs;
  }

  /** The bytes from start to end, or to the last one that is there. */
  async read(key: string, start: number, end: number): Promise<Blob> {
    const chunks = [...(await this.#stored(key, end)), ...(this.#memory.get(key) ?? [])];
    return new Blob(
      chunks.map((chunk) => {
        const from = Math.max(start - chunk.offset, 0);
        return chunk.data.slice(from, Math.max(from, Math.min(end - chunk.offset, chunk.size)));
      }),
    );
  }

  /** The takes of an interview that an earlier page has left here. */
  async takes(interview: string): Promise<StoredTake[]> {
    if (this.db === null) return [];
    const all = IDBKeyRange.bound(`${interview}/`, `${interview}/\uffff`);
    return this.#use(["takes"], "readonly", (tx) => resultOf(tx.objectStore("takes").getAll(all) as IDBRequest<StoredTake[]>));
  }

  async remove(key: string): Promise<void> {
    this.#memory.delete(key);
    if (this.db === null) return;
    await this.#use(["takes", "chunks"], "readwrite", (tx) => {
      tx.objectStore("takes").delete(key);
      tx.objectStore("chunks").delete(IDBKeyRange.bound([key, 0], [key, Infinity]));
      return committed(tx);
    }).catch(() => {}); // what stays is found by the next page, and known to the server
  }

  async #stored(key: string, end: number): Promise<Chunk[]> {
    if (this.db === null) return [];
    const before = IDBKeyRange.bound([key, 0], [key, end], false, true);
    return this.#use(["chunks"], "readonly", (tx) => resultOf(tx.objectStore("chunks").getAll(before) as IDBRequest<Chunk[]>));
  }

  /** Writes, or takes the take into memory from here on and resolves to false. */
  async #write(key: string, stores: string[], use: (tx: IDBTransaction) => void): Promise<boolean> {
    try {
      await this.#use(stores, "readwrite", (tx) => {
        use(tx);
        return committed(tx);
      });
      return true;
    } catch {
      if (!this.#memory.has(key)) this.#memory.set(key, []);
      this.full();
      return false;
    }
  }

  /** Uses a transaction, and does so once more where the browser has closed the connection meanwhile, as that of iOS does. */
  async #use<T>(stores: string[], mode: IDBTransactionMode, use: (tx: IDBTransaction) => Promise<T>): Promise<T> {
    if (this.db === null) throw new Error("the browser has no database");
    try {
      return await use(this.db.transaction(stores, mode));
    } catch (err) {
      if (!(err instanceof DOMException) || !["InvalidStateError", "UnknownError"].includes(err.name)) throw err;
      this.db = await openDatabase(1);
      return use(this.db.transaction(stores, mode));
    }
  }
}

/** Rejects, and does not throw, where the browser refuses at once, as with cookies blocked. */
async function openDatabase(tries: number): Promise<IDBDatabase> {
  try {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("takes", { keyPath: "key" });
      request.result.createObjectStore("chunks", { keyPath: ["take", "offset"] });
    };
    return await resultOf(request);
  } catch (err) {
    const refused = typeof indexedDB === "undefined" || (err instanceof DOMException && err.name === "SecurityError");
    if (refused || tries <= 1) throw err;
  }
  await new Promise((resolve) => setTimeout(resolve, openPause));
  return openDatabase(tries - 1);
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the browser's database does not answer"));
  });
}

function committed(tx: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    tx.oncomplete = () => resolve();
    tx.onabort = () => reject(tx.error ?? new Error("the browser's database is full"));
  });
}
