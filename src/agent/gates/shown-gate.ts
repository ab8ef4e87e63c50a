import type { OpenGate } from '#domain/tool/gate.ts';
import type { Question } from '#domain/tool/question.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { findCallQuestion } from '#store/tools/call-questions.ts';
import { findPolicy, type SetLevel } from './policy-settings.ts';

/** A gate with the answers that it accepts. */
export type ShownGate = OpenGate & {
  /** Whether similar calls can be approved for the future, too. The operator can want to be asked about every call. */
  readonly acceptsAlways: boolean;
  /** What the server of the tool asks. */
  readonly question: Question | undefined;
};

export async function showGate(db: Database, gate: OpenGate): Promise<ShownGate> {
  return withAnswers(gate, await findPolicy(db, gate.call.name), await findQuestion(db, gate));
}

/** Reads the policy of each tool once. */
export async function showGates(db: Database, gates: readonly OpenGate[]): Promise<ShownGate[]> {
  const names = [...new Set(gates.map(({ call }) => call.name))];
  const levels = new Map(await Promise.all(names.map(async (name) => [name, await findPolicy(db, name)] as const)));
  return Promise.all(
    gates.map(async (gate) => withAnswers(gate, levels.get(gate.call.name), await findQuestion(db, gate))),
  );
}

async function findQuestion(db: Database, { kind, userId, call }: OpenGate): Promise<Question | undefined> {
  if (kind !== 'input') return undefined;
  const owner = { userId };
  return (await withOwner(db, owner, (trx) => findCallQuestion(trx, owner, call.id)))?.question;
}

const withAnswers = (gate: OpenGate, set: SetLevel | undefined, question: Question | undefined): ShownGate => ({
  ...gate,
  question,
  acceptsAlways: gate.kind === 'approval' && set?.level !== 'ask',
});
