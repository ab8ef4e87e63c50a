import type { OpenGate } from '#domain/tool/gate.ts';
import type { Database } from '#store/connection.ts';
import { findPolicy } from './policy-settings.ts';

/** A gate with the answers that it accepts. */
export type ShownGate = OpenGate & {
  /** Whether similar calls can be approved for the future, too. The operator can want to be asked about every call. */
  readonly acceptsAlways: boolean;
};

export async function showGate(db: Database, gate: OpenGate): Promise<ShownGate> {
  const acceptsAlways = gate.kind === 'approval' && (await findPolicy(db, gate.call.name)) !== 'ask';
  return { ...gate, acceptsAlways };
}
