import { type Kysely, sql } from 'kysely';

/**
 * What was said in each message, as words, so that threads can be searched. It is written with the item; no query looks
 * inside the item's body.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table item_texts (
      item_id uuid primary key,
      thread_id uuid not null references threads on delete cascade,
      user_id text not null,
      role text not null check (role in ('user', 'assistant')),
      text text not null,
      words tsvector not null,
      created_at timestamptz not null default now()
    )`.execute(db);
  // Every search reads the words of many rows, and decompressing them would take most of its time.
  await sql`alter table item_texts alter column words set storage external`.execute(db);
  await sql`alter table item_texts enable row level security`.execute(db);
  await sql`alter table item_texts force row level security`.execute(db);
  await sql`
    create policy owner on item_texts using (
      user_id = (select current_setting('app.user_id', true))
      or (select current_setting('app.engine', true)) = 'on'
    )`.execute(db);
  await fill(db);
}

export const indexes = [
  'item_texts_by_user on item_texts (user_id, created_at, item_id)',
  'item_texts_by_thread on item_texts (thread_id)',
];

export const worksWith = '0022-sign-in-codes';

const BATCH = 500;
const LONGEST = 32_768;
const BLOCKS = /^(?:<(instructions|user-context)>\n[^]*?\n<\/\1>\n\n)+/;

type StoredBody = { type: string; role?: string; content?: readonly { type: string; text?: string }[] };

/** The messages so far. */
async function fill(db: Kysely<unknown>): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const { rows } = await sql<{ id: string; body: StoredBody }>`
      select id, body from items where id > ${after} order by id limit ${BATCH}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    const said = rows.flatMap(({ id, body }) => {
      const text = body.type === 'message' && (body.role === 'user' || body.role === 'assistant') ? textOf(body) : '';
      return text ? [{ id, role: body.role, text }] : [];
    });
    await sql`
      insert into item_texts (item_id, thread_id, user_id, role, text, words, created_at)
      select items.id, items.thread_id, items.user_id, said.role, said.text, to_tsvector('simple', said.text), items.created_at
      from unnest(${said.map(({ id }) => id)}::uuid[], ${said.map(({ role }) => role)}::text[],
        ${said.map(({ text }) => text)}::text[]) as said (id, role, text)
      join items on items.id = said.id join threads on threads.id = items.thread_id`.execute(db);
  }
}

const textOf = ({ content = [] }: StoredBody) =>
  content
    .map((part) => (part.type === 'text' ? (part.text ?? '') : ''))
    .join('')
    .replace(BLOCKS, '')
    .slice(0, LONGEST)
    .toWellFormed()
    .replace(/[^\P{Control}\n\t]/gu, ' ')
    .trim();
