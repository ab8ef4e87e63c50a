import type { OpenGate } from '@reborn-agent/client/api';
import { askSentence, plainText, textOfValue, valuesOf } from '@reborn-agent/client/call-card';
import { describeReason } from '@reborn-agent/client/gate-card';
import { cut } from '#domain/text/cut.ts';

const MOST_LETTERS = 200;

type Call = OpenGate['calls'][number];

/** What waits, in a line. */
export function outlineGate({ calls }: OpenGate): string {
  const asked = calls.map((call, index) => [numbered(calls, index), ...listValues(call)].join(' '));
  return cut(asked.join(' '), MOST_LETTERS);
}

/** All that a person needs to answer: the sentences, the values with their labels, the exact arguments, and the reason. */
export function describeGate(gate: OpenGate): string {
  const reason = describeReason(gate);
  return [
    ...gate.calls.flatMap((call, index) => [
      numbered(gate.calls, index),
      ...[...listValues(call), `Exactly: ${call.name} ${call.arguments}`].map((line) => line.replace(/^/gm, '  ')),
    ]),
    ...(reason ? [reason] : []),
  ].join('\n');
}

function numbered(calls: readonly Call[], index: number): string {
  const sentence = calls[index] ? plainText(askSentence(calls[index])) : '';
  return calls.length > 1 ? `${index + 1}: ${sentence}` : sentence;
}

const listValues = (call: Call): string[] =>
  (valuesOf(call) ?? []).map(
    ({ label, name, lines }) => `${label}: ${[...(name ? [name] : []), ...lines.map(textOfValue)].join(', ')}`,
  );
