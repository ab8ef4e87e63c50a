import { callsOf, type OpenGate } from '#domain/tool/gate.ts';
import type { Question } from '#domain/tool/question.ts';
import { type Database, withOwner } from '#store/connection.ts';
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
};

export async function showGate(db: Database, gate: OpenGate): Promise<ShownGate> {
  const names = await namesAsked(db, [gate]);
  return withAnswers(db, gate, names);
}

/** Reads the policy of each tool once. */
export async function showGates(db: Database, gates: readonly OpenGate[]): Promise<ShownGate[]> {
  const names = await namesAsked(db, gates);
  return Promise.all(gates.map((gate) => withAnswers(db, gate, names)));
}

/** The tools of these gates that the operator wants to be asked about. */
async function namesAsked(db: Database, gates: readonly OpenGate[]): Promise<ReadonlySet<string>> {
  const names = [...new Set(gates.flatMap(callsOf).map(({ call }) => call.name))];
  const found = await Promise.all(names.map(async (name) => ({ name, set: await findPolicy(db, name) })));
  return new Set(found.flatMap(({ name, set }) => (set?.level === 'ask' ? name : [])));
}

async function withAnswers(db: Database, gate: OpenGate, asked: ReadonlySet<string>): Promise<ShownGate> {
  const acceptsAlways =
    gate.kind === 'approval' && !gate.asked?.irreversible && !callsOf(gate).some(({ call }) => asked.has(call.name));
  return { ...gate, question: await findQuestion(db, gate), acceptsAlways };
}

async function findQuestion(db: Database, { kind, userId, call }: OpenGate): Promise<Question | undefined> {
  if (kind !== 'input') return undefined;
  const owner = { userId };
  return (await withOwner(db, owner, (trx) => findCallQuestion(trx, owner, call.id)))?.question;
}
