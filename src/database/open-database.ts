import type pg from 'pg';
import { openEmbedded } from './embedded/open-embedded.ts';
import { reachExternal } from './reach-external.ts';

export type OpenDatabase = {
  /** What a `pg.Pool` or `pg.Client` needs; no pool is opened here. */
  readonly connection: pg.PoolConfig;
  readonly kind: 'embedded' | 'external';
  readonly version: string;
  /** Embedded: stops the server when its last owner goes. */
  close(): Promise<void>;
};

type Options = {
  url: string | undefined;
  home: string;
  log?: (message: string) => void;
  /** Called when a server was told to start: there is nothing to do until it is ready. */
  onWaiting?: () => void;
};

/** The database at `url`, or else a PostgreSQL of our own whose data lives in `home`. */
export async function openDatabase({
  url,
  home,
  log = () => {},
  onWaiting = () => {},
}: Options): Promise<OpenDatabase> {
  if (!url) return { kind: 'embedded', ...(await openEmbedded(home, { log, onWaiting })) };

  return { kind: 'external', ...(await reachExternal(url)), close: async () => {} };
}
