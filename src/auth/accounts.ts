import { Conflict, NotFound } from '#domain/errors.ts';
import { newId, type TokenId } from '#domain/ids.ts';
import {
  canSee,
  isOperator,
  OPERATOR,
  type Principal,
  requireOperator,
  scopeOf,
  type UserId,
} from '#domain/principal.ts';
import { hashSecret } from '#domain/secret-hash.ts';
import type { Session, Token, User } from '#domain/user.ts';
import { refuseMoving } from '#store/accounts/moves.ts';
import { deletePairingsWith } from '#store/accounts/pairings.ts';
import { deleteSessionById, deleteSessionsOf, listSessions } from '#store/accounts/sessions.ts';
import { insertToken, listTokens, revokeToken, revokeTokensOf } from '#store/accounts/tokens.ts';
import {
  findNames,
  findUser,
  insertUser,
  isNameTaken,
  isOnlyOperator,
  listUsers,
  lockRoles,
  markRemoved,
  type UserChange,
  type UserPage,
  updateUser,
} from '#store/accounts/users.ts';
import { type Audited, type AuditRecord, audited, readAudit } from '#store/audit.ts';
import { deleteChatLinksOf } from '#store/chats/accounts.ts';
import { type IdentityDatabase, type IdentityTransaction, runInTransaction } from '#store/identity-connection.ts';
import { endMissionsOf } from '#store/missions/missions.ts';
import { deleteDevicesOf } from '#store/notifications/devices.ts';
import { deleteEndpointsOf } from '#store/notifications/endpoints.ts';
import { requireStillOperator } from './still-operator.ts';
import { newUserToken } from './tokens/user-token.ts';

/** Users and their tokens. The operator may do everything; a member can see and change only their own tokens. */
export type Accounts = {
  addUser(actor: Principal, user: Pick<User, 'name' | 'email' | 'role'>): Promise<User>;
  listUsers(actor: Principal, page: UserPage): Promise<User[]>;
  /** Whether there is a user with this ID who was not removed. */
  isUser(id: UserId): Promise<boolean>;
  /** The names of users, also of removed ones, by ID. */
  namesOf(actor: Principal, ids: readonly UserId[]): Promise<ReadonlyMap<UserId, string>>;
  /** The calling user; undefined for the operator of the static tokens, who has no row. */
  findSelf(actor: Principal): Promise<User | undefined>;
  /** A new role applies at once to the user's tokens, sessions and sockets, on every replica. */
  changeUser(actor: Principal, id: UserId, change: UserChange): Promise<User>;
  /** Ends the user's tokens, sessions, pairings and, on every replica, turns. Their data stays, invisible to other users. */
  removeUser(actor: Principal, id: UserId): Promise<void>;
  /** `secret` is the token, which can be shown only now. */
  createToken(actor: Principal, userId: UserId, token: WantedToken): Promise<{ token: Token; secret: string }>;
  listTokens(actor: Principal, userId: UserId): Promise<Token[]>;
  revokeToken(actor: Principal, id: TokenId): Promise<void>;
  listSessions(actor: Principal, userId: UserId): Promise<Session[]>;
  revokeSession(actor: Principal, id: string): Promise<void>;
  readAudit(actor: Principal, page: { before: string | undefined; limit: number }): Promise<AuditPage>;
};

/** `names`: of the users whom the entries mention, by ID. */
export type AuditPage = { readonly entries: readonly AuditRecord[]; readonly names: ReadonlyMap<UserId, string> };

export type WantedToken = Pick<Token, 'name' | 'expiresAt'>;

/** `onRevoked` is called when a user or token loses access. */
export function createAccounts(db: IdentityDatabase, onRevoked: () => void = () => {}): Accounts {
  return {
    ...users(db, onRevoked),
    ...tokens(db, onRevoked),
    ...sessions(db, onRevoked),
    async readAudit(actor, page) {
      requireOperator(actor);
      const entries = await readAudit(db, page);
      const mentioned = entries.flatMap(({ actor: by, subject, detail }) => [by, subject, detail['userId']]);
      const ids = new Set(mentioned.filter((id) => typeof id === 'string'));
      return { entries, names: await findNames(db, [...ids]) };
    },
  };
}

type Users = Pick<Accounts, 'addUser' | 'listUsers' | 'isUser' | 'namesOf' | 'findSelf' | 'changeUser' | 'removeUser'>;

function users(db: IdentityDatabase, onRevoked: () => void): Users {
  return {
    async addUser(actor, { name, email, role }) {
      return runInTransaction(db, async (trx) => {
        await requireStillOperator(trx, actor);
        if (await isNameTaken(trx, name)) throw nameTaken(name);
        const wanted = { id: newId(), name, email: email?.toLowerCase() ?? null, role };
        const detail = { name, email: wanted.email, role };
        const entry = { ...by(actor, 'user.add', wanted.id), detail };
        const user = await audited(trx, (writing) => insertUser(writing, wanted), entry);
        if (!user) throw new Conflict('already_exists', `A user with the email ${email} already exists.`);
        return user;
      });
    },

    async listUsers(actor, page) {
      requireOperator(actor);
      return listUsers(db, page);
    },

    isUser: async (id) => (await findUser(db, id)) !== undefined,

    async namesOf(actor, ids) {
      requireOperator(actor);
      return findNames(db, ids);
    },

    findSelf: (actor) => findUser(db, actor.userId),

    async changeUser(actor, id, change) {
      const changed = await runInTransaction(db, async (trx) => {
        await lockRoles(trx);
        await requireStillOperator(trx, actor);
        const user = await findUser(trx, id);
        if (!user) throw noUser();
        await refuseMoving(trx, id);
        await requireAllowed(trx, actor, user, change);
        const update = async (writing: Audited<IdentityTransaction>) => (await updateUser(writing, id, change)) ?? user;
        return audited(trx, update, ({ name, role }) =>
          name === user.name && role === user.role
            ? 'no right changed'
            : { ...by(actor, 'user.change', id), detail: { name, role, was: { name: user.name, role: user.role } } },
        );
      });
      onRevoked();
      return changed;
    },

    async removeUser(actor, id) {
      requireOperator(actor);
      await runInTransaction(db, async (trx) => {
        const remove = async (writing: Audited<IdentityTransaction>) => {
          if (!(await shutOut(writing, id))) throw noUser();
        };
        await audited(trx, remove, by(actor, 'user.remove', id));
      });
      onRevoked();
    },
  };
}

type Tokens = Pick<Accounts, 'createToken' | 'listTokens' | 'revokeToken'>;

function tokens(db: IdentityDatabase, onRevoked: () => void): Tokens {
  return {
    async createToken(actor, userId, { name, expiresAt }) {
      const secret = newUserToken();
      const token = await runInTransaction(db, async (trx) => {
        await requireUser(trx, actor, userId);
        if (actor.userId !== userId) await requireStillOperator(trx, actor);
        await refuseMoving(trx, userId);
        const wanted = { id: newId<TokenId>(), userId, name, expiresAt, hash: hashSecret(secret) };
        const entry = { ...by(actor, 'token.create', wanted.id), detail: { userId, name, expiresAt } };
        return audited(trx, (writing) => insertToken(writing, wanted), entry);
      });
      return { token, secret };
    },

    async listTokens(actor, userId) {
      await requireUser(db, actor, userId);
      return listTokens(db, userId);
    },

    async revokeToken(actor, id) {
      await runInTransaction(db, async (trx) => {
        const revoke = async (writing: Audited<IdentityTransaction>) => {
          const token = await revokeToken(writing, id, scopeOf(actor));
          if (!token) throw new NotFound('This token does not exist, or it was already revoked.');
          return token;
        };
        await audited(trx, revoke, ({ userId, name }) => ({
          ...by(actor, 'token.revoke', id),
          detail: { userId, name },
        }));
      });
      onRevoked();
    },
  };
}

function sessions(db: IdentityDatabase, onRevoked: () => void): Pick<Accounts, 'listSessions' | 'revokeSession'> {
  return {
    async listSessions(actor, userId) {
      if (userId !== OPERATOR.userId || !isOperator(actor)) await requireUser(db, actor, userId);
      return listSessions(db, userId);
    },

    async revokeSession(actor, id) {
      await runInTransaction(db, async (trx) => {
        const revoke = async (writing: Audited<IdentityTransaction>) => {
          const userId = await deleteSessionById(writing, id, scopeOf(actor));
          if (userId === undefined) throw new NotFound('This session does not exist.');
          return userId;
        };
        await audited(trx, revoke, (userId) => ({ ...by(actor, 'session.revoke', id), detail: { userId } }));
      });
      onRevoked();
    },
  };
}

/** Ends all access of a user, and what runs in their name. Returns whether they had access. */
export async function shutOut(trx: Audited<IdentityTransaction>, id: UserId): Promise<boolean> {
  const wasUser = await markRemoved(trx, id);
  await revokeTokensOf(trx, id);
  await deleteSessionsOf(trx, id);
  await deletePairingsWith(trx, id);
  await endMissionsOf(trx, id);
  await deleteEndpointsOf(trx, id);
  await deleteChatLinksOf(trx, id);
  await deleteDevicesOf(trx, id);
  return wasUser;
}

/** Members can't see other users. */
async function requireUser(db: IdentityDatabase, actor: Principal, id: UserId): Promise<void> {
  if (!canSee(actor, id) || !(await findUser(db, id))) throw noUser();
}

/** A name belongs to one user, in any case. Operators who take the role from themselves leave another one behind. */
async function requireAllowed(trx: IdentityTransaction, actor: Principal, user: User, change: UserChange) {
  const { name = user.name, role = user.role } = change;
  if (name.toLowerCase() !== user.name.toLowerCase() && (await isNameTaken(trx, name))) throw nameTaken(name);
  if (role === user.role || user.role !== 'operator') return;
  if ((await isOnlyOperator(trx, user.id)) && actor.userId === user.id)
    throw new Conflict('last_operator', 'You are the last operator. Make somebody else an operator first.');
}

const nameTaken = (name: string) => new Conflict('already_exists', `A user called ${name} already exists.`);

const noUser = () => new NotFound('This user does not exist.');

const by = (actor: Principal, action: string, subject: string) => ({
  actor: actor.userId,
  action,
  subject,
  detail: {},
});
