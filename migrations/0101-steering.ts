import { type Kysely, sql } from 'kysely';
import { installFunctions } from '#database/install-functions.ts';

/** Messages that steer the turn ahead of them, and runs that continue after it. To a replica of the version before they are queued messages. */
export const worksWith = '0100-baseline';

export const indexes = [`turns_steering on turns (thread_id, seq) where status = 'queued' and steers is not null`];

export async function up(db: Kysely<unknown>): Promise<void> {
  // `steers`: at which point of the turn ahead the message is to be read. `steered_by`: the turn that continues with the run of this one.
  await sql`alter table turns add column steers text, add column steered_by uuid,
    add constraint turns_steers check (steers in ('step', 'now')) not valid`.execute(db);
  await sql`alter table preferences add column when_busy text not null default 'steer'
    check (when_busy in ('steer', 'queue'))`.execute(db);
  // The new versions return more columns.
  await sql`drop function accept_turns(uuid, integer, integer, bigint, json)`.execute(db);
  await sql`drop function settle_turns(uuid, integer, text, json)`.execute(db);
  await installFunctions(db, functions);
}

export const functions = {
  'engine/accept_turns': '37fa6d5e2c99',
  'engine/number_after_gate': '3566e43b6b13',
  'engine/settle_turns': '698531e6f7d7',
  'engine/steer_active': '71f9981c8806',
  'store/announce_turn': 'ee66f9a29923',
  'store/start_missions': '0f2e9db55bdc',
};
