import { newId } from '#domain/ids.ts';
import type { startStage } from './stage.ts';

type Stage = Awaited<ReturnType<typeof startStage>>;

/** Missions that have run for a while, with every kind of outcome. */
export async function seedMissions({ home, service }: Stage): Promise<void> {
  for (const mission of MISSIONS) {
    const made = await service.request('/api/missions', { method: 'POST', body: JSON.stringify(mission) });
    const { id } = (await made.json()) as { id: string };
    if (mission.name !== 'Morning summary') continue;
    for (const [index, [state, reason, seconds, cost]] of RUNS.entries())
      await home.query(
        `insert into occurrences (mission_id, slot, user_id, kind, state, reason, revision, due_at, thread_id, tokens, cost_usd, started_at, ended_at)
         select id, slot, user_id, 'scheduled', $2, $3, 1, slot, case when $4::float8 > 0 then $6::uuid end, $4::float8 * 400, $5,
           case when $4::float8 > 0 then slot end,
           slot + make_interval(secs => $4)
         from (select *, date_trunc('day', now()) - make_interval(days => $7) + interval '7 hours' as slot from missions where id = $1) as due`,
        [id, state, reason, seconds, cost, newId(), index + 1],
      );
  }
  await home.query(
    `update missions set state = 'paused', pause_reason = 'repeated_failure', failures = 5, next_due_at = null where name = 'Invoices'`,
  );
}

const MISSIONS = [
  {
    name: 'Invoices',
    instruction: 'Check the inbox for unpaid invoices, and list those that are due this week.',
    schedule: { every_minutes: 240 },
    thread: 'new',
  },
  {
    name: 'Release notes for everyone in the company, with a name that does not fit on a small screen',
    instruction: 'Write the release notes.',
    schedule: { cron: '0 9 * * 5L', time_zone: 'Europe/London' },
  },
  {
    name: 'Morning summary',
    instruction: 'Summarise my notes of yesterday.',
    schedule: { cron: '0 8 * * 1-5', time_zone: 'Europe/Oslo' },
    tokens_per_run: 20_000,
    usd_per_day: 0.5,
  },
];

const RUNS: readonly [string, string | null, number, number | null][] = [
  ['completed', null, 12.4, 0.012],
  ['completed', 'no_result', 3.1, 0.003],
  ['failed', 'model_error', 61.5, 0.041],
  ['missed', 'not_running', 0, null],
  ['skipped', 'overlap', 0, null],
  ['completed', null, 8.7, null],
  ['cancelled', 'overlap', 20.2, 0.02],
  ['skipped', 'budget', 0, null],
];
