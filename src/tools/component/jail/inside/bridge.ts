/** What the worker does for the guest. The realm calls it, with numbers, texts and truth values only. */
export type Bridge = {
  /** The buffer for bytes that cross the realms. A later call may return another one. */
  reserve(length: number): ArrayBuffer;
  /** The text of the first bytes in the buffer; nothing when they are not UTF-8. */
  decode(length: number): string | undefined;
  /** Writes a text into the buffer and returns its length in bytes. */
  encode(text: string): number;
  /** Fills the buffer's first bytes. */
  random(length: number): void;
  later(milliseconds: number, run: () => void): void;
  nanoseconds(): bigint;
  log(level: string, message: string): void;
  /** The body is in the buffer if its length is not negative; so is the body of the answer. */
  request(
    method: string,
    url: string,
    headers: string,
    bodyLength: number,
    timeoutMs: number | undefined,
    answer: (error: string | undefined, status: number, bodyLength: number) => void,
  ): void;
  secretExists(name: string, answer: (exists: boolean) => void): void;
  end(kind: EndKind, text: string): void;
};

export type EndKind = 'output' | 'error' | 'trap' | 'memory' | 'contract';
