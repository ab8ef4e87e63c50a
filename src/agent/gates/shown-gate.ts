import type { ThreadId } from '#domain/ids.ts';
import { callsOf, type OpenGate } from '#domain/tool/gate.ts';
import type { Question } from '#domain/tool/question.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { findPaths } from '#store/delegations/tree.ts';
import { findCallQuestion } from '#store/tools/call-questions.ts';
import { findPolicy } from './policy-settings.ts';

/** A gate with the answers that it accepts. */
export type ShownGate = OpenGate & {
  /**
   * Whether similar calls can be approved for the future, too. Not if the operator wants to be asked about every call, or if
   * what the call does can't be undone.
   */
  readonly acceptsAlways: boolean;
  /** What the server of the tool asks. */
  readonly question: Question | undefined;
  /** Of a child's gate: the titles of the threads above it and its own title, the highest first. */
  readonly path: readonly string[] | undefined;
};

export async function showGate(db: Database, gate: OpenGate): Promise<ShownGate> {
  const [names, paths] = await Promise.all([namesAsked(db, [gate]), pathsOf(db, [gate])]);
  return withAnswers(db, gate, names, paths);
}

/** Reads the policy of each tool once. */
export async function showGates(db: Database, gates: readonly OpenGate[]): Promise<ShownGate[]> {
  const [names, paths] = await Promise.all([namesAsked(db, gates), pathsOf(db, gates)]);
  return Promise.all(gates.map((gate) => withAnswers(db, gate, names, paths)));
}

/** The operator sees gates of all users, but each path belongs to its owner. */
async function pathsOf(db: Database, gates: readonly OpenGate[]): Promise<Paths> {
  const byUser = [...Map.groupBy(gates, ({ userId }) => userId)];
  const found = await Promise.all(
    byUser.map(([userId, own]) => {
      const ids = own.map(({ threadId }) => threadId);
      return withOwner(db, { userId }, (trx) => findPaths(trx, { userId }, ids));
    }),
  );
  return new Map(found.flatMap((paths) => [...paths]));
}

type Paths = ReadonlyMap<ThreadId, readonly string[]>;

/** The tools of these gates that the operator wants to be asked about. */
async function namesAsked(db: Database, gates: readonly OpenGate[]): Promise<ReadonlySet<string>> {
  const names = [...new Set(gates.flatMap(callsOf).map(({ call }) => call.name))];
  const found = await Promise.all(names.map(async (name) => ({ name, set: await findPolicy(db, name) })));
  return new Set(found.flatMap(({ name, set }) => (set?.level === 'ask' ? name : [])));
}

async function withAnswers(db: Database, gate: OpenGate, asked: ReadonlySet<string>, paths: Paths): Promise<ShownGate> {
  const acceptsAlways =
    gate.kind === 'approval' && !gate.asked?.irreversible && !callsOf(gate).some(({ call }) => asked.has(call.name));
  return { ...gate, question: await findQuestion(db, gate), acceptsAlways, path: paths.get(gate.threadId) };
}

async function findQuestion(db: Database, { kind, userId, call }: OpenGate): Promise<Question | undefined> {
  if (kind !== 'input') return undefined;
  const owner = { userId };
  return (await withOwner(db, owner, (trx) => findCallQuestion(trx, owner, call.id)))?.question;
}
