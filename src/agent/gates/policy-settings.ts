import { NotFound } from '#domain/errors.ts';
import { OPERATOR, type UserId } from '#domain/principal.ts';
import { findNearName } from '#domain/text/near-name.ts';
import { SITUATIONS, type Situation } from '#domain/thread/origin.ts';
import { TOOL_LEVELS, type ToolLevel } from '#domain/tool/tool.ts';
import { audited } from '#store/audit.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { deleteSetting, listSettings, readSetting, writeSetting } from '#store/settings.ts';

/**
 * The operator's level for a tool. It overrides the tool's own level. `after`: the strongest situation where an `allow` applies;
 * in stronger ones the call is judged as if its tool allowed it.
 */
export type SetLevel = { readonly level: ToolLevel; readonly after: Situation };

export type ToolPolicy = SetLevel & { readonly tool: string };

/** One setting for each tool, so that concurrent changes to different tools don't overwrite each other. Read for each call. */
const PREFIX = 'tool_policy:';

export async function findPolicy(db: Database, tool: string, userId?: UserId): Promise<SetLevel | undefined> {
  const ofUser = userId === undefined ? undefined : await readSetting(db, PREFIX + quarantineOf(tool, userId));
  const value = ofUser ?? (await readSetting(db, PREFIX + tool));
  return value === undefined ? undefined : setLevelIn(value);
}

/**
 * Forbids the tool to one user, in whose call it tried to send a secret. Others keep it: a user can choose the value of
 * a secret, and with an ordinary word as the value could block the tool for all users.
 */
export async function quarantineTool(
  db: Database,
  { tool, userId, secretName }: { readonly tool: string; readonly userId: UserId; readonly secretName: string },
): Promise<void> {
  const entry = { actor: userId, action: 'tool.quarantine', subject: tool, detail: { secret: secretName } };
  await withOwner(db, OPERATOR, (trx) =>
    audited(trx, (writing) => writeSetting(writing, PREFIX + quarantineOf(tool, userId), { level: 'never' }), entry),
  );
}

/** The name under which policies list and lift it. No tool can have this name. */
const quarantineOf = (tool: string, userId: UserId) => `${tool}@${userId}`;

export async function listPolicies(db: Database): Promise<ToolPolicy[]> {
  const rows = await listSettings(db, PREFIX);
  return rows.map(({ name, value }) => ({ tool: name.slice(PREFIX.length), ...setLevelIn(value) }));
}

/** The policy that applies to a user's calls. */
export const policyFor = (policies: readonly ToolPolicy[], tool: string, userId: UserId): ToolPolicy | undefined =>
  [quarantineOf(tool, userId), tool].flatMap((name) => policies.filter((policy) => policy.tool === name))[0];

export async function setPolicy(db: Database, { tool, level, after }: ToolPolicy, actor: UserId): Promise<void> {
  const entry = { actor, action: 'policy.set', subject: tool, detail: { level, after } };
  await withOwner(db, OPERATOR, (trx) =>
    audited(trx, (writing) => writeSetting(writing, PREFIX + tool, { level, after }), entry),
  );
}

/** Restores the tool's own level. Returns whether a policy was set. */
function unsetPolicy(db: Database, tool: string, actor: UserId): Promise<boolean> {
  return withOwner(db, OPERATOR, (trx) =>
    audited(
      trx,
      (writing) => deleteSetting(writing, PREFIX + tool),
      (existed) => (existed ? { actor, action: 'policy.unset', subject: tool, detail: {} } : 'no right changed'),
    ),
  );
}

/** An unreadable policy forbids the tool, because it was meant to restrict it. One without `after` was set before there was any. */
function setLevelIn(value: unknown): SetLevel {
  const { level, after } = value as { level?: unknown; after?: unknown };
  return {
    level: TOOL_LEVELS.find((known) => known === level) ?? 'never',
    after: SITUATIONS.find((known) => known === after) ?? 'clean',
  };
}

export type ToolPolicies = ReturnType<typeof createToolPolicies>;

/** The operator's policies. `listNames` lists the tools of all users. */
export const createToolPolicies = (db: Database, listNames: () => Promise<readonly string[]>) => ({
  list: () => listPolicies(db),
  /** Refuses a tool that does not exist, unless it is to be installed later: with a typo, a tool would only seem to be off. */
  async set(actor: UserId, policy: ToolPolicy, { notYet }: { readonly notYet: boolean }): Promise<void> {
    if (!notYet) requireName(policy.tool, await listNames());
    await setPolicy(db, policy, actor);
  },
  unset: (actor: UserId, tool: string) => unsetPolicy(db, tool, actor),
});

function requireName(tool: string, names: readonly string[]): void {
  if (names.includes(tool)) return;
  const near = findNearName(tool, names);
  const advice = near ? `Did you mean "${near}"?` : 'If it is to be installed later, set not_yet (`--not-yet`).';
  throw new NotFound(`The tool "${tool}" does not exist. ${advice}`);
}
