import { askSentence, type ShownCall } from '@reborn-agent/client/call-card';
import { addressOf, describeAddress, describeReason } from '@reborn-agent/client/gate-card';
import type { CallCard } from '#domain/tool/call-card.ts';
import { callsOf, type OpenGate } from '#domain/tool/gate.ts';
import { withTemplates } from './call-card.ts';

/** What a card says in English, in the words of the clients. */
export type DescribedCard = {
  readonly reason: string | undefined;
  readonly calls: readonly {
    readonly name: string;
    /** What the call would do, in the words of its tool. */
    readonly sentence: string;
    readonly arguments: string;
    readonly address: string | undefined;
  }[];
};

/** `quote` sets names apart, which others may have chosen. */
export function describeCard(gate: OpenGate, quote?: (name: string) => string): DescribedCard {
  const { situation = 'clean', because = [] } = gate.asked ?? {};
  const calls = callsOf(gate).map(({ call, address = null, card }) => ({
    call_id: call.callId,
    name: call.name,
    arguments: call.arguments,
    address,
    ...shownCard(withTemplates(call.name, card)),
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
      const sentence = sentenceOf(call, quote);
      return { name: call.name, sentence, arguments: call.arguments, address: facts && describeAddress(facts, quote) };
    }),
  };
}

/** The person's zone is not known here, so times are written in UTC. */
const sentenceOf = (call: ShownCall, quote: (name: string) => string = (name) => name): string =>
  askSentence(call, { language: 'en', locales: ['en-GB'], zone: 'UTC' })
    .map(({ kind, text }) => (kind === 'words' || kind === 'strong' ? text : quote(text)))
    .join('');

const shownCard = (card: CallCard | undefined) => (card ? { card } : {});
