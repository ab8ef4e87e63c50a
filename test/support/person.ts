import type pg from 'pg';
import { newId } from '#domain/ids.ts';

/** The setting of sessions that see the tables of accounts. */
export const IDENTITIES_OPEN = { 'app.identities': 'on' };

/** A row of each table that has an owner; tests of erasure and export fail until a new table is here. `$1` is the user, `$2` their thread, `$3` its turn, `$4` a gate and `$5` a mission. */
export const OWNED_ROWS: Record<string, string> = {
  threads: `insert into threads (id, user_id, last_seq, active, opening) values ($2, $1, 1, $3, 'words of ' || $1)`,
  turns: `insert into turns (id, thread_id, user_id, seq, status, channel, request) values ($3, $2, $1, 1, 'waiting', 'chat', '{}')`,
  items: `insert into items (thread_id, turn_seq, position, id, turn_id, user_id, body)
    select $2, 1, n, gen_random_uuid(), $3, $1, to_json('words of ' || $1) from generate_series(1, 3) as n`,
  attachments: `insert into attachments (user_id, sha256, bytes, content, is_stored) values ($1, repeat('a', 64), 1, convert_to($1, 'UTF8'), true)`,
  unused_objects: `insert into unused_objects (object_key, user_id) values ('attachments/' || $1, $1)`,
  workspaces: `insert into workspaces (id, user_id, thread_id) values ($2, $1, $2)`,
  workspace_versions: `insert into workspace_versions (workspace_id, version, user_id, cause) values ($2, 1, $1, 'person')`,
  workspace_files: `insert into workspace_files (workspace_id, path, version, user_id, sha256, bytes, mode) values ($2, $1, 1, $1, null, 0, 420)`,
  uploaded_files: `insert into uploaded_files (id, user_id, filename, media_type, purpose, sha256, bytes) values (gen_random_uuid(), $1, $1, 'text/plain', 'user_data', repeat('a', 64), 1)`,
  vector_stores: `insert into vector_stores (id, user_id, name, metadata) values ($2, $1, 'words of ' || $1, '{}')`,
  vector_store_files: `insert into vector_store_files (store_id, file_id, user_id, attributes) select $2, id, $1, '{}' from uploaded_files where user_id = $1`,
  vector_store_batches: `insert into vector_store_batches (id, store_id, user_id, file_ids) values (gen_random_uuid(), $2, $1, '{}')`,
  documents: `insert into documents (user_id, sha256, kind) values ($1, repeat('a', 64), 'pdf')`,
  passages: `insert into passages (document, user_id, position, page, label, heading, text)
    select number, $1, 1, 1, 'page 1', '', 'words of ' || $1 from documents where user_id = $1`,
  document_words: `insert into document_words (user_id, word, document, piece, positions) select $1, 'w', number, 0, '{1}' from documents where user_id = $1`,
  attachment_uses: `insert into attachment_uses (item_id, sha256, thread_id, user_id) values (gen_random_uuid(), repeat('a', 64), $2, $1)`,
  item_texts: `insert into item_texts (item_id, thread_id, user_id, role, text, words) values (gen_random_uuid(), $2, $1, 'user', $1, '')`,
  summaries: `insert into summaries (thread_id, through_seq, through_position, user_id, turn_seq, turn_id, text, provider, model, usage, reads)
    values ($2, 1, 1, $1, 1, $3, $1, '', '', '{}', '{"foreign":true}')`,
  gates: `insert into gates (id, thread_id, turn_id, turn_seq, user_id, kind, call, asked)
    values ($4, $2, $3, 1, $1, 'approval', '{}', '{"situation":"both","because":[]}')`,
  approvals: `insert into approvals (gate_id, user_id, call_id, digest, expires_at) values ($4, $1, gen_random_uuid(), '', now())`,
  call_questions: `insert into call_questions (call_id, thread_id, user_id, digest, question, state)
    values (gen_random_uuid(), $2, $1, '', '{}', '{}')`,
  standing_approvals: `insert into standing_approvals (id, user_id, tool, shape, digest, situation, mission_id)
    values (gen_random_uuid(), $1, 't', '', '', 'foreign', $5)`,
  site_grants: `insert into site_grants (user_id, thread_id, run, site) values ($1, $2, $3, 'a.example')`,
  sources: `insert into sources (thread_id, number, sha256, user_id, url, title, how, text) values ($2, 1, '', $1, 'https://a.example/', $1, 'read', $1)`,
  pairings: `insert into pairings (user_id, paired_user_id) values ($1, 'x'), ('webhook:' || $1, $1)`,
  idempotency_keys: `insert into idempotency_keys (user_id, key, digest, turn_id) values ($1, 'k', '', $3)`,
  request_tries: `insert into request_tries (turn_id, user_id, digest) values ($3, $1, '')`,
  unstored_turns: `insert into unstored_turns (turn_id, user_id) values ($3, $1)`,
  jobs: `insert into jobs (id, user_id, thread_id, turn_id) values ($3, $1, $2, $3)`,
  conversations: `insert into conversations (user_id, name, thread_id) values ($1, 'mine', $2)`,
  missions: `insert into missions (id, user_id, name, instruction, schedule, tz_version, keeps_thread, misfire, overlap, pause_after)
    values ($5, $1, 'm', 'do', '{}', '', false, 'skip', 'skip', 3)`,
  occurrences: `insert into occurrences (mission_id, slot, user_id, kind, state, revision, due_at) values ($5, now(), $1, 'manual', 'due', 1, now())`,
  assistants: `insert into assistants (id, user_id, name, version) values ($5, $1, 'mine', 1)`,
  assistant_versions: `insert into assistant_versions (assistant, version, user_id, description, settings, written_by)
    values ($5, 1, $1, 'words of ' || $1, '{}', $1)`,
  work_days: `insert into work_days values ($1, now(), $5, 0, 1, 1)`,
  secrets: `insert into secrets (user_id, name, ciphertext, key_id) values ($1, 's', '', '')`,
  skills: `insert into skills (user_id, name, description, files) values ($1, 's', '', '{}')`,
  mcp_servers: `insert into mcp_servers (id, user_id, name, url, private_network, trust_annotations, headers, discovery, tools, left_out, accepted, refresh_at)
    values (gen_random_uuid(), $1, 'm', '', false, false, '[]', '{}', '[]', '[]', '[]', now())`,
  tokens: `insert into tokens (id, user_id, name, hash) values (gen_random_uuid(), $1, 't', sha256($1::bytea))`,
  sessions: `insert into sessions (id, user_id, hash, key_hash, method, expires_at) values (gen_random_uuid(), $1, sha256($1::bytea), '', 'token', now())`,
  invitations: `insert into invitations (id, user_id, hash, role, expires_at) values (gen_random_uuid(), $1, sha256($1::bytea), 'member', now())`,
  sign_in_codes: `insert into sign_in_codes (hash, user_id, expires_at) values (sha256($1::bytea), $1, now())`,
  usage_days: `insert into usage_days values ($1, now(), 'p', 'm', 0, 1, 0, 0, 1, 0, 1, 0, 1)`,
  budgets: `insert into budgets (user_id, tokens_per_day) values ($1, 1)`,
  limit_requests: `insert into limit_requests (user_id) values ($1)`,
  retention: `insert into retention (user_id, kind, days) values ($1, 'threads', null)`,
  preferences: `insert into preferences (user_id, default_model) values ($1, 'm')`,
  title_requests: `insert into title_requests (thread_id, user_id) values ($2, $1)`,
  delegations: `insert into delegations (call, user_id, thread_id, run, tree, child_thread_id, child_run, state, tokens_limit)
    values (gen_random_uuid(), $1, $2, $3, $3, $2, $3, 'ended', 1)`,
  ratings: `insert into ratings (turn_id, thread_id, user_id, rating, reason) values ($3, $2, $1, 'bad', 'words of ' || $1)`,
  shares: `insert into shares (thread_id, user_id, hash, through_seq, through_position, with_tools, with_attachments)
    values ($2, $1, sha256($1::bytea), 1, 1, false, false)`,
  folders: `insert into folders (user_id, id, name) values ($1, gen_random_uuid(), 'words of ' || $1)`,
  project_members: `insert into project_members (user_id, project_id, member, role, name) select $1, id, 'someone', 'read', $1 from folders where user_id = $1`,
  project_notes: `insert into project_notes (user_id, project_id, path, text, written_by) select $1, id, '', 'words of ' || $1, $1 from folders where user_id = $1`,
  prompt_templates: `insert into prompt_templates (user_id, name, text) values ($1, 'review', 'words of ' || $1)`,
  outbox: `insert into outbox (user_id, type, subject) values ($1, 'turn.completed', $3)`,
  deliveries: `insert into deliveries (id, user_id, kind, target, account, type, due_at, created_at)
    values ($4, $1, 'webhook', $1, 'host', 'turn.completed', now(), now())`,
  delivery_targets: `insert into delivery_targets (target, user_id, account, due_at) values ($1, $1, 'host', now())`,
  delivery_attempts: `insert into delivery_attempts (delivery_id, attempt, user_id, replica) values ($4, 1, $1, $5)`,
  notification_endpoints: `insert into notification_endpoints (id, user_id, name, url, events, turns, everyone)
    values ($4, $1, 'mine', 'https://example.com', '{}', 'all', false)`,
  devices: `insert into devices (id, user_id, name, endpoint, public_key, auth, events, details)
    values ($4, $1, 'phone', 'https://push.example', '', '', '{}', false)`,
  notification_preferences: `insert into notification_preferences (user_id) values ($1)`,
  chat_links: `insert into chat_links (account_id, sender, user_id, name, chat) values ((select id from chat_accounts limit 1), $1, $1, 'Ann', $1)`,
  chat_codes: `insert into chat_codes (hash, user_id, expires_at) values (sha256($1::bytea), $1, now())`,
  chat_threads: `insert into chat_threads (account_id, chat, user_id, thread_id) values ((select id from chat_accounts limit 1), $1, $1, $2)`,
  chat_inbox: `insert into chat_inbox (id, account_id, remote_id, lane, position, user_id, body)
    values (gen_random_uuid(), (select id from chat_accounts limit 1), $1, $1, 1, $1, to_json('words of ' || $1))`,
  chat_messages: `insert into chat_messages (key, part, user_id) values ($3, 0, $1)`,
  turn_events: `insert into turn_events (turn_id, first, last, events, user_id) values ($3, 0, 0, to_json('words of ' || $1), $1)`,
  notes: `insert into notes (user_id, path, text, word_count, origin) values ($1, 'p', $1, 1, 'foreign')`,
  note_versions: `insert into note_versions (user_id, path, version, text, origin, written_by) values ($1, 'p', 2, $1, 'foreign', 'person')`,
  note_words: `insert into note_words (user_id, word, note) values ($1, 'w', 1)`,
};

/** Rows without an owner that name the user all the same. */
const MENTIONS = [
  `insert into settings (name, value) values ('tool_policy:mail@' || $1, '{}')`,
  `insert into rate_windows (key, slots, counts, expires_at) values ('60/60:chat:' || $1, '{1}', '{1}', now())`,
  `insert into audit (actor, action, subject, detail) values
    ('operator', 'user.add', $1, json_build_object('name', 'Ann', 'email', 'ann@example.com')),
    ('operator', 'token.create', 'some-token', json_build_object('userId', $1, 'name', 'phone of Ann')),
    ($1, 'skill.add', 'recipes-of-ann', '{}')`,
];

/** A user with one row of everything. */
export async function addPerson(everything: Pick<pg.Pool, 'query'>, id: string): Promise<void> {
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
  await everything.query(
    `insert into chat_accounts (id, channel, remote_id, name, mode, groups) values (gen_random_uuid(), 'telegram', '1', 'bot', 'webhook', false)
     on conflict do nothing`,
  );
  for (const statement of [...Object.values(OWNED_ROWS), ...MENTIONS]) await run(statement);
}
