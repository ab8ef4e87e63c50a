import { createHash } from 'node:crypto';
import type { UserId } from './principal.ts';

/** The deletion of everything that belongs to a user. */
export type Erasure = {
  readonly id: string;
  /** The id of the user, which refers to nothing once the erasure is complete. */
  readonly subject: UserId;
  readonly requestedBy: UserId;
  readonly requestedAt: Date;
  readonly completedAt: Date | null;
  readonly certificate: Certificate | null;
};

/** What was deleted, and when. `digest` is the SHA-256 of the certificate without it; the audit log has it, too. */
export type Certificate = {
  readonly erasure: string;
  readonly subject: UserId;
  readonly requestedBy: UserId;
  readonly requestedAt: string;
  readonly completedAt: string;
  /** Rows by table. `audit details`: entries of the audit log that lost everything but their time, action and ids. */
  readonly deleted: Readonly<Record<string, number>>;
  readonly digest: string;
};

export function certify(facts: Omit<Certificate, 'digest'>): Certificate {
  return { ...facts, digest: digestOf(facts) };
}

/** Whether the certificate is as it was written. */
export function isGenuine({ digest, ...facts }: Certificate): boolean {
  return digest === digestOf(facts);
}

/** Names are sorted, so that a certificate can be checked after it was parsed and printed by another program. */
function digestOf({ deleted, ...facts }: Omit<Certificate, 'digest'>): string {
  const sorted = (record: object) =>
    Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return createHash('sha256')
    .update(JSON.stringify(sorted({ ...facts, deleted: sorted(deleted) })))
    .digest('hex');
}
