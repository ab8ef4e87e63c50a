import { said, seedThread } from './seed-thread.ts';
import type { startStage } from './stage.ts';

type Stage = Awaited<ReturnType<typeof startStage>>;

/** More of everything than fits on a page, with words that fit nowhere. Tells the id of the longest-winded thread. */
export async function seedCrowd({ home, service }: Stage): Promise<string> {
  const send = async (method: string, route: string, body: object) => {
    const answer = await service.request(route, { method, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${await answer.text()}`);
  };
  // One by one: a busy machine refuses some of many at once.
  for (const n of PEOPLE) {
    await send('POST', '/api/users', { name: `Person ${n}`, role: 'member' });
    await send('PUT', `/api/memory/${LONG}/${n}`, { text: n === 7 ? 'marmalade' : LONG });
  }
  await home.query(SKILLS, [LONG]);
  const schedule = { cron: '0 8 29 2 *', time_zone: 'America/Argentina/ComodRivadavia' };
  await send('POST', '/api/missions', { name: LONG.slice(0, 100), instruction: LONG, schedule });
  const turn = (asked: string, answer: string) => ({ asked, made: [{ body: said(answer) }] });
  const thread = await seedThread(home, {
    title: LONG.repeat(2).slice(0, 300),
    turns: [
      turn(LONG, `${LONG}\n\n\`\`\`\n${LONG}\n\`\`\`\n\n| ${`${LONG} | `.repeat(12)}\n|${' --- |'.repeat(12)}\n`),
    ],
  });
  await home.query(RESULT);
  await home.query(JOBS, [thread, LONG]);
  await home.query(USAGE, [LONG]);
  await home.query(CHANNEL, [LONG]);
  return thread;
}

const LONG = `unbreakable-${'x'.repeat(150)}`;

const PEOPLE = Array.from({ length: 120 }, (_, n) => n);

const SKILLS = `
  insert into skills (user_id, name, description, files)
  select 'operator', 'skill-' || n, $1, '{"SKILL.md":""}' from generate_series(1, 500) as n`;

/** A run of each mission that failed. */
const RESULT = `
  insert into occurrences (mission_id, slot, user_id, kind, state, reason, revision, due_at, ended_at, unread)
  select id, now(), user_id, 'manual', 'failed', 'model_error', 1, now(), now(), true from missions`;

const JOBS = `
  insert into jobs (id, thread_id, turn_id, user_id, conversation_id, status, completed_at)
  select gen_random_uuid(), $1::uuid, gen_random_uuid(), 'operator', $2 || n, 'completed', now()
  from generate_series(1, 500) as n`;

const CHANNEL = `
  insert into chat_accounts (id, channel, remote_id, name, mode, groups, last_error, failed_at)
  values (gen_random_uuid(), 'slack', '1', $1, 'webhook', true, $1, now())`;

const USAGE = `
  insert into usage_days (user_id, day, provider, model, part, calls, errors, unpriced_calls, input_tokens,
    cached_input_tokens, output_tokens, cost_usd, milliseconds)
  values ('operator', (now() at time zone 'utc')::date, 'p', $1, 0, 1000000, 1000, 1000000, 1000000000, 0, 1000000, 0, 900000000000)`;
