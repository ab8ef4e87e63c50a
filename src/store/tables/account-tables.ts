import type { Generated } from 'kysely';
import type { UserMove } from '#domain/cell/user-move.ts';
import type { TokenId } from '#domain/ids.ts';
import type { Preferences } from '#domain/preferences.ts';
import type { Role } from '#domain/principal.ts';
import type { RetentionKind } from '#domain/retention.ts';
import type { SignInMethod } from '#domain/user.ts';

/** People, how they sign in, what they prefer, and the cell that they are in. */
export type AccountTables = {
  users: {
    id: string;
    name: string;
    email: string | null;
    role: Role;
    oidcIssuer: string | null;
    oidcSubject: string | null;
    createdAt: Generated<Date>;
    removedAt: Date | null;
  };
  tokens: {
    id: TokenId;
    userId: string;
    name: string;
    hash: Buffer;
    createdAt: Generated<Date>;
    expiresAt: Date | null;
    lastUsedAt: Date | null;
    revokedAt: Date | null;
  };
  sessions: {
    id: string;
    userId: string;
    method: SignInMethod;
    hash: Buffer;
    keyHash: Buffer;
    tokenHash: Buffer | null;
    createdAt: Generated<Date>;
    expiresAt: Date;
    lastSeenAt: Generated<Date>;
  };
  signInCodes: {
    hash: Buffer;
    userId: string;
    tokenHash: Buffer | null;
    sessionUntil: Date | null;
    expiresAt: Date;
  };
  signIns: { hash: Buffer; state: string; nonce: string; verifier: string; expiresAt: Date };
  invitations: {
    id: string;
    userId: string;
    hash: Buffer;
    role: Role;
    name: string | null;
    createdAt: Generated<Date>;
    expiresAt: Date;
  };
  erasures: {
    id: string;
    subject: string;
    requestedBy: string;
    requestedAt: Generated<Date>;
    auditThrough: Generated<string>;
    completedAt: Date | null;
    certificate: string | null;
    digest: string | null;
  };
  preferences: {
    userId: string;
    defaultModel: Generated<string | null>;
    generateTitles: Generated<boolean>;
    whenBusy: Generated<Preferences['whenBusy']>;
    remembers: Generated<boolean>;
    updatedAt: Generated<Date>;
  };
  promptTemplates: {
    userId: string;
    name: string;
    text: string;
    updatedAt: Generated<Date>;
  };
  retention: { userId: string; kind: RetentionKind; days: number | null; updatedAt: Generated<Date> };
  userMoves: {
    id: string;
    subject: string;
    cell: number;
    state: UserMove['state'] | 'arrived';
    startedAt: Generated<Date>;
  };
  forwards: {
    hash: Buffer;
    subject: string;
    cell: number;
  };
  placements: {
    hash: Buffer;
    cell: number;
  };
};
