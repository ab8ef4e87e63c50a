import { sql } from 'kysely';
import { OPERATOR, type Role, type UserId } from '#domain/principal.ts';
import type { OidcIdentity, User } from '#domain/user.ts';
import type { Audited } from '../audit.ts';
import type { IdentityDatabase, IdentityTransaction } from '../identity-connection.ts';

export type NewUser = {
  readonly id: UserId;
  readonly name: string;
  readonly email: string | null;
  readonly role: Role;
  readonly identity?: OidcIdentity;
};

export type Page = { readonly after: string | undefined; readonly limit: number };

export type UserPage = Page & {
  /** The id, or a part of the name or the email address, in any case. */
  readonly search?: string | undefined;
};

/** Undefined when another user has this email or identity. */
export function insertUser(
  db: Audited<IdentityTransaction>,
  { identity, ...user }: NewUser,
): Promise<User | undefined> {
  return db
    .insertInto('users')
    .values({ ...user, oidcIssuer: identity?.issuer ?? null, oidcSubject: identity?.subject ?? null })
    .onConflict((conflict) => conflict.doNothing())
    .returning(columns)
    .executeTakeFirst();
}

export function findUser(db: IdentityDatabase, id: UserId): Promise<User | undefined> {
  return db.selectFrom('users').select(columns).where('id', '=', id).where('removedAt', 'is', null).executeTakeFirst();
}

/** Whether this is an operator. Until the transaction ends, they stay one. */
export async function isOperatorNow(trx: IdentityTransaction, id: UserId): Promise<boolean> {
  if (id === OPERATOR.userId) return true;
  const { rows } = await sql`
    select from users where id = ${id} and role = 'operator' and removed_at is null for share`.execute(trx);
  return rows.length > 0;
}

/** Until the transaction ends, no other one changes a role: two operators can't take it from each other at once. */
export async function lockRoles(trx: IdentityTransaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('roles of users', 0))`.execute(trx);
}

/** Whether no other user is an operator. */
export async function isOnlyOperator(trx: IdentityTransaction, id: UserId): Promise<boolean> {
  const query = trx
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'operator')
    .where('id', '<>', id)
    .where('removedAt', 'is', null);
  return (await query.limit(1).executeTakeFirst()) === undefined;
}

export type UserChange = { readonly name?: string | undefined; readonly role?: Role | undefined };

/** Sets a name or a role. Undefined if the user does not exist. */
export function updateUser(
  db: Audited<IdentityTransaction>,
  id: UserId,
  change: UserChange,
): Promise<User | undefined> {
  return db
    .updateTable('users')
    .set(change)
    .where('id', '=', id)
    .where('removedAt', 'is', null)
    .returning(columns)
    .executeTakeFirst();
}

/** The names of these users, also of removed ones. */
export async function findNames(db: IdentityDatabase, ids: readonly UserId[]): Promise<ReadonlyMap<UserId, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('users').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Also finds removed users, whose data is still there. */
export function findUserOrRemoved(db: IdentityDatabase, id: UserId): Promise<User | undefined> {
  return db.selectFrom('users').select(columns).where('id', '=', id).executeTakeFirst();
}

/** The users with this ID, email or name; without removed ones by default. */
export function findUsersCalled(
  db: IdentityDatabase,
  called: string,
  { removed = false }: { readonly removed?: boolean } = {},
): Promise<User[]> {
  return db
    .selectFrom('users')
    .select(columns)
    .where((row) => row.or([row('id', '=', called), row('email', '=', called.toLowerCase()), row('name', '=', called)]))
    .$if(!removed, (query) => query.where('removedAt', 'is', null))
    .execute();
}

/** Whether a current user has this name, in any case. Until the transaction ends, no other one takes it. */
export async function isNameTaken(trx: IdentityTransaction, name: string): Promise<boolean> {
  const folded = name.toLowerCase();
  await sql`select pg_advisory_xact_lock(hashtextextended(${`user name ${folded}`}, 0))`.execute(trx);
  const query = trx
    .selectFrom('users')
    .select('id')
    .where(sql`lower(name)`, '=', folded)
    .where('removedAt', 'is', null);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/** Oldest first. */
export function listUsers(db: IdentityDatabase, { after, limit, search = '' }: UserPage): Promise<User[]> {
  return db
    .selectFrom('users')
    .select(columns)
    .where('removedAt', 'is', null)
    .where('id', '>', after ?? '')
    .$if(search !== '', (query) =>
      query.where(
        sql<boolean>`(id = ${search} or position(lower(${search}) in lower(concat_ws(' ', name, email))) > 0)`,
      ),
    )
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Keeps the row, so that the user's remaining data still has an owner. False if the user does not exist. */
export async function markRemoved(db: Audited<IdentityTransaction>, id: UserId): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ removedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .where('removedAt', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The users removed within the last minute. */
export async function findRecentlyRemoved(db: IdentityDatabase): Promise<UserId[]> {
  const query = db.selectFrom('users').select('id').where('removedAt', '>', sql<Date>`now() - interval '1 minute'`);
  return (await query.execute()).map(({ id }) => id);
}

/** Whether this email belonged to a removed user and no current user has it. */
export async function isRemovedAddress(db: IdentityDatabase, email: string): Promise<boolean> {
  const rows = await db.selectFrom('users').select('removedAt').where('email', '=', email).execute();
  return rows.length > 0 && rows.every(({ removedAt }) => removedAt !== null);
}

/** Whether an operator has added a user with this email who has not signed in yet. */
export async function isExpectedAddress(db: IdentityDatabase, email: string): Promise<boolean> {
  const query = db.selectFrom('users').select('id').where('email', '=', email);
  return (await query.where('oidcIssuer', 'is', null).where('removedAt', 'is', null).executeTakeFirst()) !== undefined;
}

/** Includes removed users, so that a removed user who returns can be distinguished from a new one. */
export function findUserByIdentity(
  db: IdentityDatabase,
  { issuer, subject }: OidcIdentity,
): Promise<(User & { readonly removedAt: Date | null }) | undefined> {
  return db
    .selectFrom('users')
    .select([...columns, 'removedAt'])
    .where('oidcIssuer', '=', issuer)
    .where('oidcSubject', '=', subject)
    .executeTakeFirst();
}

/** Sets the identity of the user who was added with this email and has no identity yet. */
export function claimUserByEmail(
  db: Audited<IdentityTransaction>,
  email: string,
  { issuer, subject }: OidcIdentity,
): Promise<User | undefined> {
  return db
    .updateTable('users')
    .set({ oidcIssuer: issuer, oidcSubject: subject })
    .where('email', '=', email)
    .where('oidcIssuer', 'is', null)
    .where('removedAt', 'is', null)
    .returning(columns)
    .executeTakeFirst();
}

const columns = ['id', 'name', 'email', 'role', 'createdAt'] as const;
