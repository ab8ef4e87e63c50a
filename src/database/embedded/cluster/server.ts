import type { ServerUser } from '../runtime/server-user.ts';

/** One embedded PostgreSQL: where its parts lie, and who runs it. */
export type Server = {
  /** Holds `bin`, `lib` and `share`. */
  readonly runtime: string;
  readonly data: string;
  readonly passwordFile: string;
  /** Set when we are root, which PostgreSQL refuses to run as. */
  readonly user: ServerUser | undefined;
};
