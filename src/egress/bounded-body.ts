import { EgressFailed } from './egress-failure.ts';

/**
 * Gathers a body up to a limit. Chunks are copied rather than kept: a kept one costs 200 bytes besides its own, and a
 * peer may send a byte in each.
 */
export function createBoundedBody(host: string, limit: number) {
  let bytes = new Uint8Array(0);
  let length = 0;

  /** Throws `EgressFailed` if a body of this length would be too large. */
  function checkLength(wanted: number): void {
    // Written so that a limit that is no number lets nothing through.
    if (!(wanted <= limit)) throw new EgressFailed(`The answer of ${host} is larger than ${limit} bytes.`);
  }

  function add(chunk: Uint8Array): void {
    const wanted = length + chunk.length;
    checkLength(wanted);
    if (wanted > bytes.length) {
      const larger = new Uint8Array(Math.min(limit, Math.max(wanted, 2 * bytes.length)));
      larger.set(bytes.subarray(0, length));
      bytes = larger;
    }
    bytes.set(chunk, length);
    length = wanted;
  }

  return { checkLength, add, whole: () => bytes.slice(0, length) };
}
