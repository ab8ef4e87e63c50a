import { wantedOf } from '../worker-threads/wanted.ts';
import { runInWorker } from '../worker-threads/worker-pool.ts';
import { createSecretSearch, type Redacted } from './secret-search.ts';

/** Keeps a tool's secrets out of its requests and responses. Throws `GivenUp` when a search takes too long. */
export type SecretGuard = {
  /** The name of a secret that occurs in one of the parts. */
  findIn(...parts: (string | Uint8Array)[]): Promise<string | undefined>;
  redact(bytes: Uint8Array): Promise<Redacted>;
  /** Removes the secrets from a short message of the service. */
  scrub(message: string): string;
};

/** Searching this many bytes takes a few milliseconds at most; more is searched in another thread. */
const INLINE_BYTES = 32 * 1024;

/** `lane` is the user the work belongs to. */
export function createSecretGuard(values: ReadonlyMap<string, string>, lane: string): SecretGuard {
  const search = createSecretSearch(values);
  return {
    async findIn(...parts) {
      const bytes = parts.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : part.byteLength), 0);
      if (bytes <= INLINE_BYTES) return search.findIn(...parts);
      return runInWorker({
        program: 'safety/worker-threads/run-rules',
        run: 'find',
        input: { parts, wanted: wantedOf(values) },
        lane,
      });
    },
    async redact(bytes) {
      if (bytes.byteLength <= INLINE_BYTES) return search.redact(bytes);
      return runInWorker({
        program: 'safety/worker-threads/run-rules',
        run: 'redact',
        input: { bytes, wanted: wantedOf(values) },
        lane,
      });
    },
    scrub: (message) => search.scrub(message),
  };
}
