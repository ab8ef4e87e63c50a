import { plural, t } from '@lingui/core/macro';
import type { OpenGate } from '@reborn-agent/client/api';
import { askSentence, type Part } from '@reborn-agent/client/call-card';
import { reader } from './call-sentence.tsx';

/** An approval is asked for in the words of its tool; of several, each has its own line. */
export function sentenceOf({ kind, call, calls }: OpenGate, isOwn: boolean): Part[] {
  const [first = { ...call, address: null }] = calls;
  if (kind === 'approval') return calls.length === 1 ? askSentence(first, reader()) : severalWords(calls.length);
  return [{ kind: 'words', text: otherWords(kind, call.name, isOwn) }];
}

const severalWords = (count: number): Part[] => [
  { kind: 'words', text: plural(count, { one: 'Do this?', 2: 'Do both of these?', other: 'Do all # of these?' }) },
];

function otherWords(kind: Exclude<OpenGate['kind'], 'approval'>, name: string, isOwn: boolean): string {
  switch (kind) {
    case 'auth':
      return isOwn
        ? t`${name} needs a secret of yours before it can run.`
        : t`${name} needs a secret of its user, who has to sign in first.`;
    case 'external-tool':
      return t`${name} is run by the program that asked. Its answer has not come yet.`;
    case 'input':
      return t`${name} asks you before it can finish.`;
    case 'pairing':
      return t`${name} asks for a webhook user who is not paired with a user yet.`;
  }
}
