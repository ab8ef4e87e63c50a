import { addressOf, describeAddress, describeReason } from '@reborn-agent/client/gate-card';
import { callsOf, type OpenGate } from '#domain/tool/gate.ts';

/** What a card says in English, in the words of the clients. */
export type DescribedCard = {
  readonly reason: string | undefined;
  readonly calls: readonly {
    readonly name: string;
    readonly arguments: string;
    readonly address: string | undefined;
  }[];
};

/** `quote` sets names apart, which others may have chosen. */
export function describeCard(gate: OpenGate, quote?: (name: string) => string): DescribedCard {
  const { situation = 'clean', because = [] } = gate.asked ?? {};
  const calls = callsOf(gate).map(({ call, address = null }) => ({
    call_id: call.callId,
    name: call.name,
    arguments: call.arguments,
    address,
  }));
  const read = because.map(({ kind, name, foreign = false, private: secret = false, itemId }) => ({
    kind,
    name,
    foreign,
    private: secret,
    item_id: itemId,
  }));
  return {
    reason: describeReason({ situation, because: read, calls }, quote),
    calls: calls.map((call) => {
      const facts = addressOf(call);
      return { name: call.name, arguments: call.arguments, address: facts && describeAddress(facts, quote) };
    }),
  };
}
