import type { GateId, MissionId, ThreadId, TurnId } from '../ids.ts';
import type { UserId } from '../principal.ts';
import type { FunctionCallBody, NewItem } from '../thread/item.ts';
import type { Because, Situation } from '../thread/origin.ts';
import type { CallCard } from './call-card.ts';
import type { AddressQuestion } from './read-so-far.ts';

/** The reason why a thread waits. A gate is a database row and holds no memory, so it can wait for weeks. */
export type Gate = {
  readonly id: GateId;
  readonly threadId: ThreadId;
  readonly turnId: TurnId;
  readonly kind: GateKind;
  /** The call that runs once the gate is answered. */
  readonly call: GatedCall;
  /** Why it asks; null at gates that don't ask for an approval, and at gates of older versions. */
  readonly asked?: GateFacts | null;
};

/** `input`: a server asks a person before it can finish the call. */
export type GateKind = 'external-tool' | 'approval' | 'auth' | 'pairing' | 'input';

/** The fields of a gate when a turn opens it. */
export type NewGate = Pick<Gate, 'id' | 'kind' | 'call' | 'asked'> & {
  /** The version of the tool. An approval applies to this version only. */
  readonly revision?: string;
};

/** A gate that is not answered yet. */
export type OpenGate = Gate & {
  readonly userId: UserId;
  /** The version of the tool. */
  readonly revision: string | null;
  readonly asked: GateFacts | null;
  readonly createdAt: Date;
};

/**
 * What makes a call ask: the operator's level, the tool's own level, what was read, the address that it opens, or phrases of an
 * attack in what was read.
 */
export type AskReason = 'policy' | 'tool' | 'origin' | 'address' | 'phrases';

/** Why a call needs an approval, as the card says it. */
export type GateFacts = {
  /** Missing at gates of older versions. */
  readonly reason?: AskReason;
  readonly situation: Situation;
  /** What the model had read, the newest last. At most 20 are kept. */
  readonly because: readonly Because[];
  /** What is asked about an address. */
  readonly address?: AddressQuestion;
  /** Further calls of the same answer that need an approval too, each with its own version and facts. */
  readonly others?: readonly AskedCall[];
  /** The state that an approval applies to: see `Tool.state`. */
  readonly state?: string;
  /** The mission whose run has made the call. */
  readonly mission?: MissionId;
  /** What the call does can't be undone, so it is never approved for always. */
  readonly irreversible?: true;
  /** How the call reads on the card. */
  readonly card?: CallCard;
};

export type AskedCall = {
  readonly call: GatedCall;
  readonly revision: string | null;
  readonly address?: AddressQuestion;
  readonly card?: CallCard;
};

export type GatedCall = NewItem & FunctionCallBody;

/** All calls that the card of an approval shows, the first one first. */
export function callsOf({
  call,
  revision = null,
  asked,
}: Pick<NewGate, 'call' | 'asked'> & { readonly revision?: string | null }): AskedCall[] {
  const { address, card } = asked ?? {};
  const first = { call, revision, ...(address && { address }), ...(card && { card }) };
  return [first, ...(asked?.others ?? [])];
}
