import type { GateId, ThreadId, TurnId } from '../ids.ts';
import type { UserId } from '../principal.ts';
import type { FunctionCallBody, NewItem } from '../thread/item.ts';

/** The reason why a thread waits. A gate is a database row and holds no memory, so it can wait for weeks. */
export type Gate = {
  readonly id: GateId;
  readonly threadId: ThreadId;
  readonly turnId: TurnId;
  readonly kind: GateKind;
  /** The call that runs once the gate is answered. */
  readonly call: GatedCall;
};

/** `input`: a server asks a person before it can finish the call. */
export type GateKind = 'external-tool' | 'approval' | 'auth' | 'pairing' | 'input';

/** The fields of a gate when a turn opens it. */
export type NewGate = Pick<Gate, 'id' | 'kind' | 'call'> & {
  /** The version of the tool. An approval applies to this version only. */
  readonly revision?: string;
};

/** A gate that is not answered yet. */
export type OpenGate = Gate & {
  readonly userId: UserId;
  /** The version of the tool. */
  readonly revision: string | null;
  readonly createdAt: Date;
};

export type GatedCall = NewItem & FunctionCallBody;
