import type { ServerUser } from '../runtime/server-user.ts';

/** One embedded PostgreSQL: where its files are, and which user runs it. */
export type Server = {
  /** Contains `bin`, `lib` and `share`. */
  readonly runtime: string;
  readonly data: string;
  readonly passwordFile: string;
  /** Set when this process runs as root, because PostgreSQL refuses to. */
  readonly user: ServerUser | undefined;
};
