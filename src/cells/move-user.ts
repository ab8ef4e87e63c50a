import { createHash } from 'node:crypto';
import type { Cell } from '#domain/cell/cell.ts';
import { hashEmail, hashIdentity, type UserMove } from '#domain/cell/user-move.ts';
import type { UserId } from '#domain/principal.ts';
import { copyUser } from './copy-user.ts';
import { deleteMoved, handOverObjects, inTransaction } from './delete-moved.ts';
import type { MoveClient } from './move-client.ts';
import { restUser, wakeUser } from './rest-user.ts';

/** What has happened so far. A command that dies after any of them is run again, and continues there. */
export type MoveStep = 'leaving' | 'resting' | 'copied' | 'arrived' | 'left' | 'gone';

export type MoveOptions = {
  readonly source: MoveClient;
  readonly target: MoveClient;
  readonly subject: UserId;
  readonly cells: { readonly source: Cell; readonly target: Cell };
  /** Who asked for it. */
  readonly actor: UserId;
  /** The id of a new move. */
  readonly id: string;
  readonly onStep?: (step: MoveStep) => void | Promise<void>;
};

/**
 * Moves a user to another cell. The commit in the target decides: before it, the user is in the source, and after it in the target.
 * The source accepts nothing from the first step on, so that the copy is complete. Returns how many rows were copied, by table;
 * undefined if an earlier run had copied them.
 */
export async function moveUser(options: MoveOptions): Promise<Record<string, number> | undefined> {
  const { source, target, subject, onStep = () => {} } = options;
  const move = await beginMove(options);
  await onStep('leaving');
  let copied: Record<string, number> | undefined;
  if (move.state === 'leaving' && !(await hasArrived(target, move))) {
    try {
      await restUser(source, subject);
      await onStep('resting');
      copied = await arrive(options, move);
    } catch (error) {
      await stay(options, move).catch(() => {}); // then it is still moving, and the next run continues
      throw error;
    }
  }
  await onStep('arrived');
  if (move.state === 'leaving') await leave(options, move);
  await onStep('left');
  await deleteMoved(source, subject, move.id);
  await onStep('gone');
  return copied;
}

/** From this commit on, nothing is accepted from the user. The signal lets replicas forget what they remember of them. */
async function beginMove({ source, subject, cells, id }: MoveOptions): Promise<UserMove> {
  await source.query(
    `insert into user_moves (id, subject, cell, state) values ($1, $2, $3, 'leaving') on conflict (subject) where state <> 'arrived' do nothing`,
    [id, subject, cells.target],
  );
  await announce(source);
  const { rows } = await source.query<UserMove>(
    `select id, subject, cell, state from user_moves where subject = $1 and state <> 'arrived'`,
    [subject],
  );
  const [move] = rows;
  if (!move || move.state === 'gone') throw new Error('This user is not in this cell.');
  if (move.cell !== cells.target)
    throw new Error(`This user is already moving to cell ${move.cell}. Finish that move first.`);
  return move;
}

const announce = (client: MoveClient) => client.query(`select pg_notify('reborn', '{"removed":true}')`);

async function hasArrived(target: MoveClient, { id }: UserMove): Promise<boolean> {
  const { rows } = await target.query(`select from user_moves where id = $1 and state = 'arrived'`, [id]);
  return rows.length > 0;
}

async function arrive(options: MoveOptions, { id }: UserMove): Promise<Record<string, number>> {
  const { source, target, subject, cells, actor, onStep = () => {} } = options;
  await source.query('begin isolation level repeatable read, read only');
  try {
    return await inTransaction(target, async () => {
      const copied = await copyUser(source, target, subject);
      await wakeUser(target, subject);
      // A user who returns is not forwarded any more.
      await target.query('delete from forwards where subject = $1', [subject]);
      // If the target is their registrar, it must not send them away when they are erased and sign in again.
      await target.query('update placements set cell = $1 where hash = any($2)', [
        cells.target,
        await hashPerson(source, subject),
      ]);
      await target.query('delete from user_moves where subject = $1', [subject]);
      await target.query(`insert into user_moves (id, subject, cell, state) values ($1, $2, $3, 'arrived')`, [
        id,
        subject,
        cells.source,
      ]);
      if (copied['mcp_servers']) await target.query('update mcp_version set changed_at = clock_timestamp()');
      await record(target, actor, 'user.arrive', subject, { from: cells.source });
      await target.query(`select pg_notify('reborn', '{"wake":true}')`);
      await onStep('copied');
      return copied;
    });
  } finally {
    await source.query('rollback');
  }
}

/** The source keeps nothing but hashes, which lead to the target. Links are closed at once, since a visitor could still read them. */
async function leave({ source, subject, cells, actor }: MoveOptions, { id }: UserMove): Promise<void> {
  await inTransaction(source, async () => {
    await source.query(
      `insert into forwards (hash, subject, cell)
       select hash, $1, $2 from (
         select hash from tokens where user_id = $1 and revoked_at is null union select hash from sessions where user_id = $1
         union select hash from sign_in_codes where user_id = $1 union select hash from shares where user_id = $1
         union select unnest($3::bytea[])
       ) as known on conflict (hash) do update set subject = excluded.subject, cell = excluded.cell`,
      [subject, cells.target, await hashPerson(source, subject)],
    );
    await source.query('delete from shares where user_id = $1', [subject]);
    await handOverObjects(source, subject);
    await source.query(`update user_moves set state = 'left' where id = $1`, [id]);
    await record(source, actor, 'user.move', subject, { to: cells.target });
    await announce(source);
  });
}

async function hashPerson(source: MoveClient, subject: UserId): Promise<Buffer[]> {
  const { rows } = await source.query<{ email: string | null; issuer: string | null; subject: string | null }>(
    'select email, oidc_issuer as issuer, oidc_subject as subject from users where id = $1',
    [subject],
  );
  const [person] = rows;
  return [
    ...(person?.email ? [hashEmail(person.email)] : []),
    ...(person?.issuer && person.subject ? [hashIdentity({ issuer: person.issuer, subject: person.subject })] : []),
  ];
}

/** Takes a move back that has not reached the target. */
async function stay({ source, target, subject }: MoveOptions, move: UserMove): Promise<void> {
  if (await hasArrived(target, move)) return;
  await inTransaction(source, async () => {
    await wakeUser(source, subject);
    await source.query('delete from user_moves where id = $1', [move.id]);
    await source.query(`select pg_notify('reborn', '{"wake":true}')`);
  });
}

async function record(client: MoveClient, actor: UserId, action: string, subject: UserId, detail: object) {
  await client.query('insert into audit (actor, action, subject, detail) values ($1, $2, $3, $4)', [
    actor,
    action,
    subject,
    JSON.stringify(detail),
  ]);
}

/** The key of the lock that one command holds while it moves a user. */
export const moveLockOf = (subject: UserId): number => createHash('sha256').update(subject).digest().readInt32BE(0);
