import type { MoveClient } from './move-client.ts';

/** How far the drain of this cell has come. A command that was killed leaves it without an end. */
export type DrainRecord = {
  readonly startedAt: string;
  /** When the last user was handled. */
  readonly seenAt: string;
  readonly endedAt: string | null;
  readonly perMinute: number;
  readonly moved: number;
  /** How many could not be moved, in this run of the command. */
  readonly stayed: number;
  /** How many have not been handled yet, in this run. */
  readonly left: number;
};

/** Continues the count of a drain that has not ended, or begins a new one. */
export async function startDrain(source: MoveClient, perMinute: number) {
  const { rows } = await source.query<{ value: DrainRecord }>(START, [perMinute]);
  let record = rows[0]?.value;
  if (!record) throw new Error('The drain could not be recorded.');

  async function write(change: Partial<DrainRecord>): Promise<DrainRecord> {
    const written: DrainRecord = { ...(record as DrainRecord), ...change, seenAt: new Date().toISOString() };
    record = written;
    await source.query(`update settings set value = $1, updated_at = now() where name = 'cell_drain'`, [written]);
    return written;
  }

  return {
    /** One more user has been handled. */
    count: (outcome: 'moved' | 'stayed') => {
      const { [outcome]: before, left } = record as DrainRecord;
      return write({ [outcome]: before + 1, left: Math.max(0, left - 1) });
    },
    end: () => write({ endedAt: new Date().toISOString(), left: 0 }),
  };
}

const TO_JSON = `to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const START = `
  insert into settings as known (name, value)
  select 'cell_drain', json_build_object(
    'startedAt', ${TO_JSON}, 'seenAt', ${TO_JSON}, 'endedAt', null, 'perMinute', $1::integer, 'moved', 0, 'stayed', 0,
    'left', (select count(*) from users where removed_at is null))
  on conflict (name) do update set updated_at = now(), value = (excluded.value::jsonb ||
    case when known.value->>'endedAt' is null
      then jsonb_build_object('startedAt', known.value->'startedAt', 'moved', known.value->'moved') else '{}' end)
  returning value`;
