/** Keeps the entries that were used last, up to `maxBytes` together. */
export function createByteCache(maxBytes: number) {
  const entries = new Map<string, Buffer>(); // the oldest first
  let held = 0;

  function drop(key: string): void {
    held -= entries.get(key)?.length ?? 0;
    entries.delete(key);
  }

  return {
    get(key: string): Buffer | undefined {
      const bytes = entries.get(key);
      if (!bytes) return undefined;
      entries.delete(key);
      entries.set(key, bytes);
      return bytes;
    },
    set(key: string, bytes: Buffer): void {
      drop(key);
      if (bytes.length > maxBytes / 2) return; // it would displace everything else
      entries.set(key, bytes);
      held += bytes.length;
      for (const oldest of entries.keys()) {
        if (held <= maxBytes) return;
        drop(oldest);
      }
    },
  };
}
