import type { OpenGate } from '#domain/tool/gate.ts';
import type { ToolLevel } from '#domain/tool/tool.ts';
import type { Database } from '#store/connection.ts';
import { findPolicy } from './policy-settings.ts';

/** A gate with the answers that it accepts. */
export type ShownGate = OpenGate & {
  /** Whether similar calls can be approved for the future, too. The operator can want to be asked about every call. */
  readonly acceptsAlways: boolean;
};

export async function showGate(db: Database, gate: OpenGate): Promise<ShownGate> {
  return withAnswers(gate, await findPolicy(db, gate.call.name));
}

/** Reads the policy of each tool once. */
export async function showGates(db: Database, gates: readonly OpenGate[]): Promise<ShownGate[]> {
  const names = [...new Set(gates.map(({ call }) => call.name))];
  const levels = new Map(await Promise.all(names.map(async (name) => [name, await findPolicy(db, name)] as const)));
  return gates.map((gate) => withAnswers(gate, levels.get(gate.call.name)));
}

const withAnswers = (gate: OpenGate, level: ToolLevel | undefined): ShownGate => ({
  ...gate,
  acceptsAlways: gate.kind === 'approval' && level !== 'ask',
});
