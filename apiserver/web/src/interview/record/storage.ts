// What was recorded lies in the browser's own database before it is sent, so
// that a reload, a lost network or a closed laptop loses nothing.

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

export function takeKey(interview: string, question: string, take: number): string {
  return `${interview}/${question}/${take}`;
}

export class TakeStorage {
  private constructor(private readonly db: IDBDatabase) {}

  static open(): Promise<TakeStorage> {
    return new Promise((resolve, reject) => {
      const request = indexedDB.open(name, 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore("takes", { keyPath: "key" });
        request.result.createObjectStore("chunks", { keyPath: ["take", "offset"] });
      };
      request.onsuccess = () => resolve(new TakeStorage(request.result));
      request.onerror = () => reject(request.error ?? new Error("the browser's database cannot be opened"));
    });
  }

  put(take: StoredTake): Promise<void> {
    return this.#write(["takes"], (tx) => void tx.objectStore("takes").put({ ...take }));
  }

  /** Appends data to the take; take.bytes and take.recordedMs tell of it when the promise resolves. */
  async append(take: StoredTake, data: Blob, recordedMs: number): Promise<void> {
    const chunk: Chunk = { take: take.key, offset: take.bytes, size: data.size, data };
    const grown = { ...take, bytes: take.bytes + data.size, recordedMs };
    await this.#write(["takes", "chunks"], (tx) => {
      tx.objectStore("chunks").put(chunk);
      tx.objectStore("takes").put(grown);
    });
    take.bytes = grown.bytes;
    take.recordedMs = recordedMs;
  }

  /** The bytes from start to end, or to the last one that is there. */
  read(key: string, start: number, end: number): Promise<Blob> {
    const tx = this.db.transaction("chunks");
    const request = tx.objectStore("chunks").openCursor(IDBKeyRange.bound([key, 0], [key, end], false, true));
    const parts: Blob[] = [];
    return new Promise((resolve, reject) => {
      request.onsuccess = () => {
        const cursor = request.result;
        if (cursor === null) {
          resolve(new Blob(parts));
          return;
        }
        const chunk = cursor.value as Chunk;
        const from = Math.max(start - chunk.offset, 0);
        const to = Math.min(end - chunk.offset, chunk.size);
        if (from < to) parts.push(chunk.data.slice(from, to));
        cursor.continue();
      };
      request.onerror = () => reject(request.error);
    });
  }

  /** The takes of an interview that are still here. */
  takes(interview: string): Promise<StoredTake[]> {
    const request = this.db.transaction("takes").objectStore("takes").getAll(IDBKeyRange.bound(`${interview}/`, `${interview}/\uffff`));
    return new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result as StoredTake[]);
      request.onerror = () => reject(request.error);
    });
  }

  remove(key: string): Promise<void> {
    return this.#write(["takes", "chunks"], (tx) => {
      tx.objectStore("takes").delete(key);
      tx.objectStore("chunks").delete(IDBKeyRange.bound([key, 0], [key, Infinity]));
    });
  }

  #write(stores: string[], use: (tx: IDBTransaction) => void): Promise<void> {
    const tx = this.db.transaction(stores, "readwrite");
    use(tx);
    return new Promise((resolve, reject) => {
      tx.oncomplete = () => resolve();
      tx.onabort = () => reject(tx.error ?? new Error("the browser has no room for the recording"));
      tx.onerror = () => reject(tx.error ?? new Error("the recording cannot be kept in the browser"));
    });
  }
}
