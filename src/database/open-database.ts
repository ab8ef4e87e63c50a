import type pg from 'pg';
import { openEmbedded } from './embedded/open-embedded.ts';
import { reachExternal } from './reach-external.ts';

export type OpenDatabase = {
  /** The settings for a `pg.Pool` or `pg.Client`; no pool is opened here. */
  readonly connection: pg.PoolConfig;
  readonly kind: 'embedded' | 'external';
  readonly version: string;
  /** Embedded: stops the server when its last owner closes it. */
  close(): Promise<void>;
};

type Options = {
  url: string | undefined;
  home: string;
  log?: (message: string) => void;
  /** Called when a server is starting; the caller can do other work until it is ready. */
  onWaiting?: () => void;
};

/** Opens the database at `url`, or else the built-in PostgreSQL with its data in `home`. */
export async function openDatabase({
  url,
  home,
  log = () => {},
  onWaiting = () => {},
}: Options): Promise<OpenDatabase> {
  if (!url) return { kind: 'embedded', ...(await openEmbedded(home, { log, onWaiting })) };

  return { kind: 'external', ...(await reachExternal(url)), close: async () => {} };
}
