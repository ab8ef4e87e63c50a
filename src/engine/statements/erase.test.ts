import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isGenuine } from '#domain/erasure.ts';
import { newId } from '#domain/ids.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { connectEngine, type EnginePool } from '../engine-connection.ts';
import { findPendingErasures, runErasure } from './erase.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let pool: EnginePool;
/** Sees every row, also those of the identity tables. */
let everything: pg.Pool;

beforeAll(async () => {
  database = await openMigratedDatabase();
  pool = connectEngine(database.connection, () => {});
  everything = database.connectEverything({ [IDENTITIES]: 'on' });
});

afterAll(async () => {
  await everything.end();
  await pool.end();
  await database.close();
});

const IDENTITIES = ['app', 'identities'].join('.');

/** A row of each table that has an owner. `$1` is the user, `$2` their thread, `$3` its turn, `$4` a gate and `$5` a mission. */
const ROWS: Record<string, string> = {
  threads: `insert into threads (id, user_id, last_seq, active, opening) values ($2, $1, 1, $3, 'words of ' || $1)`,
  turns: `insert into turns (id, thread_id, user_id, seq, status, channel, request) values ($3, $2, $1, 1, 'waiting', 'chat', '{}')`,
  items: `insert into items (thread_id, turn_seq, position, id, turn_id, user_id, body)
    select $2, 1, n, gen_random_uuid(), $3, $1, to_json('words of ' || $1) from generate_series(1, 3) as n`,
  item_texts: `insert into item_texts (item_id, thread_id, user_id, role, text, words) values (gen_random_uuid(), $2, $1, 'user', $1, '')`,
  summaries: `insert into summaries (thread_id, through_seq, through_position, user_id, turn_seq, turn_id, text, provider, model, usage)
    values ($2, 1, 1, $1, 1, $3, $1, '', '', '{}')`,
  gates: `insert into gates (id, thread_id, turn_id, turn_seq, user_id, kind, call) values ($4, $2, $3, 1, $1, 'approval', '{}')`,
  approvals: `insert into approvals (gate_id, user_id, call_id, digest, expires_at) values ($4, $1, gen_random_uuid(), '', now())`,
  standing_approvals: `insert into standing_approvals (id, user_id, tool, shape, digest) values (gen_random_uuid(), $1, 't', '', '')`,
  pairings: `insert into pairings (user_id, paired_user_id) values ($1, 'x'), ('webhook:' || $1, $1)`,
  idempotency_keys: `insert into idempotency_keys (user_id, key, digest, turn_id) values ($1, 'k', '', $3)`,
  unstored_turns: `insert into unstored_turns (turn_id, user_id) values ($3, $1)`,
  jobs: `insert into jobs (id, user_id, thread_id, turn_id) values ($3, $1, $2, $3)`,
  conversations: `insert into conversations (user_id, name, thread_id) values ($1, 'mine', $2)`,
  missions: `insert into missions (id, user_id, name, instruction, schedule, tz_version, keeps_thread, misfire, overlap, pause_after)
    values ($5, $1, 'm', 'do', '{}', '', false, 'skip', 'skip', 3)`,
  occurrences: `insert into occurrences (mission_id, slot, user_id, kind, state, revision, due_at) values ($5, now(), $1, 'manual', 'due', 1, now())`,
  secrets: `insert into secrets (user_id, name, ciphertext, key_id) values ($1, 's', '', '')`,
  skills: `insert into skills (user_id, name, description, files) values ($1, 's', '', '{}')`,
  mcp_servers: `insert into mcp_servers (id, user_id, name, url, private_network, trust_annotations, headers, discovery, tools, left_out, accepted, refresh_at)
    values (gen_random_uuid(), $1, 'm', '', false, false, '[]', '{}', '[]', '[]', '[]', now())`,
  tokens: `insert into tokens (id, user_id, name, hash) values (gen_random_uuid(), $1, 't', sha256($1::bytea))`,
  sessions: `insert into sessions (id, user_id, hash, key_hash, method, expires_at) values (gen_random_uuid(), $1, sha256($1::bytea), '', 'token', now())`,
  sign_in_codes: `insert into sign_in_codes (hash, user_id, expires_at) values (sha256($1::bytea), $1, now())`,
  usage_days: `insert into usage_days values ($1, now(), 'p', 'm', 0, 1, 0, 0, 1, 0, 1, 0, 1)`,
  budgets: `insert into budgets (user_id, tokens_per_day) values ($1, 1)`,
  retention: `insert into retention (user_id, kind, days) values ($1, 'threads', null)`,
  preferences: `insert into preferences (user_id, default_model) values ($1, 'm')`,
  title_requests: `insert into title_requests (thread_id, user_id) values ($2, $1)`,
  notes: `insert into notes (user_id, path, text, word_count) values ($1, 'p', $1, 1)`,
  note_words: `insert into note_words (user_id, word, note) values ($1, 'w', 1)`,
};

/** Rows without an owner that name the user all the same. */
const MENTIONS = [
  `insert into turn_events (turn_id, first, last, events) values ($3, 0, 0, to_json('words of ' || $1))`,
  `insert into settings (name, value) values ('tool_policy:mail@' || $1, '{}')`,
  `insert into rate_windows (key, slots, counts, is_allowed, expires_at) values ('60/60:chat:' || $1, '{1}', '{1}', true, now())`,
  `insert into audit (actor, action, subject, detail) values
    ('operator', 'user.add', $1, json_build_object('name', 'Ann', 'email', 'ann@example.com')),
    ('operator', 'token.create', 'some-token', json_build_object('userId', $1, 'name', 'phone of Ann')),
    ($1, 'skill.add', 'recipes-of-ann', '{}')`,
];

async function addPerson(id: string): Promise<void> {
  const values = [id, newId(), newId(), newId(), newId()];
  const run = (statement: string) => {
    const used = values.filter((_, index) => statement.includes(`$${index + 1}`));
    const types = ['text', 'uuid', 'uuid', 'uuid', 'uuid'];
    let next = 0;
    const numbered = values.reduce(
      (text, _, index) =>
        text.includes(`$${index + 1}`) ? text.replaceAll(`$${index + 1}`, `$${++next}::${types[index]}`) : text,
      statement,
    );
    return everything.query(numbered, used);
  };
  await run(`insert into users (id, name, email, role) values ($1, 'Ann', 'ann-' || $1 || '@example.com', 'member')`);
  for (const statement of [...Object.values(ROWS), ...MENTIONS]) await run(statement);
}

/** The rows of all tables that contain the text, by table. */
async function findText(text: string): Promise<Record<string, number>> {
  const { rows: tables } = await everything.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`,
  );
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await everything.query<{ count: number }>(
      `select count(*)::integer as count from ${name} as t where strpos(t::text, $1) > 0`,
      [text],
    );
    if (rows[0]?.count) found[name] = rows[0].count;
  }
  return found;
}

async function request(subject: string): Promise<string> {
  const id = newId();
  await everything.query(
    `insert into erasures (id, subject, requested_by, requested_at) values ($1, $2, 'operator', now() - interval '3 seconds')`,
    [id, subject],
  );
  return id;
}

test('this test has a row for every table with an owner', async () => {
  const { rows } = await everything.query<{ name: string }>(
    `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'user_id' order by 1`,
  );
  expect(Object.keys(ROWS).toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

test('an erased user is in no row of any table; others keep everything', async () => {
  const [ann, bob] = ['ann-0198', 'bob-0198'];
  for (const person of [ann, bob]) await addPerson(person);
  const before = await findText(ann);
  expect(Object.keys(before)).toEqual(expect.arrayContaining(Object.keys(ROWS)));
  const bobs = await findText(bob);

  const id = await request(ann);
  expect(await findPendingErasures(pool)).toEqual([id]);
  const certificate = await runErasure(pool, id);

  // The audit log and the certificate keep the id, which refers to nothing any more.
  expect(await findText(ann)).toEqual({ audit: 3, erasures: 1 });
  const { rows: audit } = await everything.query(
    'select actor, action, subject, detail from audit where actor = $1 or subject = $1 or action = $2 order by id',
    [ann, 'token.create'],
  );
  expect(audit).toEqual([
    { actor: 'operator', action: 'user.add', subject: ann, detail: {} },
    { actor: 'operator', action: 'token.create', subject: 'some-token', detail: {} },
    { actor: ann, action: 'skill.add', subject: null, detail: {} },
    { actor: 'operator', action: 'token.create', subject: 'some-token', detail: { userId: bob, name: 'phone of Ann' } },
    { actor: 'operator', action: 'user.erased', subject: ann, detail: { digest: certificate?.digest } },
  ]);
  expect(await findText(bob)).toEqual(bobs);

  const ones = Object.fromEntries(Object.keys(ROWS).map((name) => [name, 1]));
  expect(certificate).toMatchObject({ erasure: id, subject: ann, requestedBy: 'operator' });
  expect(certificate?.deleted).toEqual({
    ...ones,
    items: 3,
    pairings: 2,
    turn_events: 1,
    settings: 1,
    users: 1,
    'audit details': 3,
  });
  expect(certificate && isGenuine(certificate)).toBe(true);
  expect(certificate && isGenuine({ ...certificate, deleted: { ...certificate.deleted, items: 4 } })).toBe(false);
  expect(await runErasure(pool, id)).toEqual(certificate);
  expect(await findPendingErasures(pool)).toEqual([]);
});

test('two processes erase at once, one of them stops early, and each row is counted once', async () => {
  await everything.query(
    `insert into threads (id, user_id, last_seq) select gen_random_uuid(), 'cid', 1 from generate_series(1, 950)`,
  );
  await everything.query(
    `insert into items (thread_id, turn_seq, position, id, turn_id, user_id, body)
     select id, 1, n, gen_random_uuid(), gen_random_uuid(), 'cid', '{}' from threads, generate_series(1, 4) as n where user_id = 'cid'`,
  );
  const id = await request('cid');
  let asked = 0;
  const [first, second] = await Promise.all([runErasure(pool, id, () => asked++ < 4), runErasure(pool, id)]);
  expect(first).toBeUndefined();
  expect(second?.deleted).toEqual({ threads: 950, items: 3800 });
});

test('an erasure must be requested first', async () => {
  await expect(runErasure(pool, newId())).rejects.toThrow('There is no erasure');
});
