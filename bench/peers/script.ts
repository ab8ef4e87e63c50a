import type { Answer, SeenPrompt } from '../../test/support/scripted-model.ts';

/** The turns of the crash check. */
export const QUESTIONS = {
  old: 'the old question',
  recent: 'the recent question',
  interrupted: 'the interrupted question',
  last: 'the last question',
};

/** The first and the last word of the answer to a question. */
export const wordsOf = (turn: keyof typeof QUESTIONS): [string, string] => [`${turn}0`, `${turn}63`];

/** Answers with 64 words. The answer to a question has the name of its turn in each word; that to `interrupted` is slow. */
export function decide({ messages }: SeenPrompt): Answer {
  const text = messages.map((message) => message.text).join('\n');
  const [turn = 'word'] = Object.entries(QUESTIONS).findLast(([, question]) => text.includes(question)) ?? [];
  const pieces = Array.from({ length: 64 }, (_, index) => `${turn}${index} `);
  return { pieces, ...(turn === 'interrupted' && { pace: 100 }) };
}

export type Kept = {
  /** A turn that ended more than five seconds before the kill. */
  readonly oldTurn: 'kept' | 'lost';
  /** A turn that ended about two seconds before the kill. */
  readonly recentTurn: 'kept' | 'lost';
  readonly interruptedMessage: 'kept' | 'lost';
  readonly interruptedAnswer: 'whole' | 'part' | 'lost';
};

/** What a server still knows of a conversation, by the prompt for the last question. */
export function findKept(prompt: string): Kept {
  const has = (text: string) => prompt.includes(text);
  return {
    oldTurn: has(QUESTIONS.old) && has('old63') ? 'kept' : 'lost',
    recentTurn: has(QUESTIONS.recent) && has('recent63') ? 'kept' : 'lost',
    interruptedMessage: has(QUESTIONS.interrupted) ? 'kept' : 'lost',
    interruptedAnswer: has('interrupted63') ? 'whole' : has('interrupted0') ? 'part' : 'lost',
  };
}
