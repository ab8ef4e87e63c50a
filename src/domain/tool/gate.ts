import type { GateId, ThreadId, TurnId } from '../ids.ts';
import type { UserId } from '../principal.ts';
import type { FunctionCallBody, NewItem } from '../thread/item.ts';

/** Why a thread waits. A gate is a row: nothing is parked in memory, so it may wait for weeks. */
export type Gate = {
  readonly id: GateId;
  readonly threadId: ThreadId;
  readonly turnId: TurnId;
  readonly kind: GateKind;
  /** The call that can't go on before the gate is answered. */
  readonly call: GatedCall;
};

export type GateKind = 'external-tool' | 'approval' | 'auth' | 'pairing';

/** What a turn needs to know to open a gate. */
export type NewGate = Pick<Gate, 'id' | 'kind' | 'call'> & {
  /** The version of the tool that would be run: an approval is for this one. */
  readonly revision?: string;
};

/** A gate that was not answered yet, and what is known about it besides. */
export type OpenGate = Gate & {
  readonly userId: UserId;
  /** The version of the tool that asked. */
  readonly revision: string | null;
  readonly createdAt: Date;
};

export type GatedCall = NewItem & FunctionCallBody;
