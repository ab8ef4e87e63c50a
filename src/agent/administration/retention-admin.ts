import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { canSee, OPERATOR, type Principal, requireOperator, type UserId } from '#domain/principal.ts';
import {
  type Days,
  EVERYONE,
  isOwnKind,
  isValidDays,
  LONGEST_DAYS,
  RETENTION_KINDS,
  type Retention,
  type RetentionKind,
  type RetentionRules,
  SHORTEST_DAYS,
} from '#domain/retention.ts';
import { isWebhookUser } from '#domain/thread/job.ts';
import { audited } from '#store/audit.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { deleteRetention, putRetention, readRetention } from '#store/retention.ts';

export type RetentionAdmin = ReturnType<typeof createRetentionAdmin>;

/** `days`: what applies. `set`: which of it was set here, and is not inherited. */
export type RetentionView = { readonly days: Partial<Retention>; readonly set: RetentionRules };

/** A user; null: everyone. */
export type RetentionSubject = UserId | null;

/** How long data is kept. The operator sets it, for everyone and for single users; users can see what applies to them. */
export function createRetentionAdmin(parts: {
  readonly db: Database;
  readonly defaults: Retention;
  readonly isUser: (id: UserId) => Promise<boolean>;
}) {
  const { db, defaults } = parts;

  async function requireSubject(actor: Principal, subject: RetentionSubject): Promise<void> {
    if (subject === null) return requireOperator(actor);
    const exists = subject === OPERATOR.userId || isWebhookUser(subject) || (await parts.isUser(subject));
    if (!canSee(actor, subject) || !exists) throw new NotFound('This user does not exist.');
  }

  async function read(actor: Principal, subject: RetentionSubject): Promise<RetentionView> {
    await requireSubject(actor, subject);
    return withOwner(db, OPERATOR, async (trx) => {
      const everyones = { ...defaults, ...(await readRetention(trx, EVERYONE)) };
      const set = await readRetention(trx, subject ?? EVERYONE);
      const days = subject === null ? everyones : { ...everyones, ...set };
      const shown = RETENTION_KINDS.filter((kind) => subject === null || isOwnKind(kind));
      return { days: Object.fromEntries(shown.map((kind) => [kind, days[kind]])), set };
    });
  }

  return {
    read,

    /** Sets these limits. `undefined` means that the limit is inherited again. */
    async change(
      actor: Principal,
      subject: RetentionSubject,
      wanted: Readonly<Partial<Record<RetentionKind, Days | undefined>>>,
    ): Promise<RetentionView> {
      requireOperator(actor);
      await requireSubject(actor, subject);
      const changes = Object.entries(wanted) as [RetentionKind, Days | undefined][];
      for (const [kind, days] of changes) requireValid(subject, kind, days);
      const entry = { actor: actor.userId, action: 'retention.set', subject, detail: describe(changes) };
      await withOwner(db, OPERATOR, (trx) =>
        audited(
          trx,
          async (writing) => {
            for (const [kind, days] of changes)
              await (days === undefined
                ? deleteRetention(writing, subject ?? EVERYONE, kind)
                : putRetention(writing, subject ?? EVERYONE, kind, days));
          },
          entry,
        ),
      );
      return read(actor, subject);
    },
  };
}

function requireValid(subject: RetentionSubject, kind: RetentionKind, days: Days | undefined): void {
  if (subject !== null && !isOwnKind(kind))
    throw new InvalidRequest(
      'invalid_request',
      kind,
      `${kind} applies to the whole installation. Set it for everyone.`,
    );
  if (days !== undefined && !isValidDays(kind, days))
    throw new InvalidRequest(
      'invalid_request',
      kind,
      `${kind} must be a number of days from ${SHORTEST_DAYS[kind]} to ${LONGEST_DAYS}, or null to keep without limit.`,
    );
}

const describe = (changes: readonly (readonly [RetentionKind, Days | undefined])[]) =>
  Object.fromEntries(changes.map(([kind, days]) => [kind, days === undefined ? 'inherited' : (days ?? 'unlimited')]));
