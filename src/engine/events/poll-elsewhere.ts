import type { TurnId } from '#domain/ids.ts';
import type { EnginePool } from '../engine-connection.ts';
import { repeat } from '../repeat.ts';
import type { Watcher } from './watcher.ts';

/** How often turns that run elsewhere are polled without a signal. */
export const POLL_MS = 1000;
const GATHER_SIGNALS_MS = 20;

/** Polls the turns that run elsewhere, once per second and at every call of `pollSoon`; calls at the same moment share a query. */
export function pollElsewhere(
  pool: EnginePool,
  findAway: () => readonly Watcher[],
  onError: (error: unknown) => void,
): { pollSoon: () => void; stop: () => Promise<void> } {
  let polling: Promise<void> | undefined;
  let again = false;

  function poll(): Promise<void> {
    again = true;
    polling ??= (async () => {
      while (again) {
        await new Promise((resolve) => setTimeout(resolve, GATHER_SIGNALS_MS));
        again = false;
        await pollOnce(pool, findAway()).catch(onError);
      }
      polling = undefined;
    })();
    return polling;
  }
  const repeated = repeat(POLL_MS, poll, onError);
  return { pollSoon: () => void poll(), stop: () => repeated.stop() };
}

/** Checks all turns with one query: are there more events, or has the turn ended? */
async function pollOnce(pool: EnginePool, away: readonly Watcher[]): Promise<void> {
  if (away.length === 0) return;
  const ids = [...new Set(away.map(({ turnId }) => turnId))];
  const { rows } = await pool.query<TurnState>(STATES, [ids]);
  const states = new Map(rows.map((row) => [row.id, row]));
  for (const watcher of away) {
    const state = states.get(watcher.turnId);
    const more = Number(state?.last ?? -1) > watcher.cursor;
    watcher.behind ||= more;
    watcher.ended ||= state === undefined || state.ended === true;
    if (more || watcher.ended) watcher.wake();
  }
}

type TurnState = { readonly id: TurnId; readonly last: string | null; readonly ended: boolean | null };

const STATES = `
  select turns.id, (ended_at < now() - interval '1 second' or (ended_at is not null and started_at is null)) as ended,
    (select max(last) from turn_events where turn_id = turns.id) as last
  from turns where id = any($1::uuid[])`;
