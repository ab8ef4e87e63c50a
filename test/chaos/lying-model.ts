import { type Answer, followScript, type SeenPrompt } from '../support/scripted-model.ts';

export type Mood = 'honest' | 'slow-model' | 'failing-model' | 'cutting-model' | 'lying-model';

/** The scripted model, which has bad times: it is slow, fails, breaks off, or calls tools that do not exist. */
export function createMoodyModel() {
  let mood: Mood = 'honest';
  let asked = 0;
  return {
    set: (next: Mood) => {
      mood = next;
    },
    decide(prompt: SeenPrompt): Answer {
      const answer = followScript(prompt);
      if (mood === 'slow-model') return { pace: 150, ...answer };
      if (mood === 'failing-model') return { status: [429, 500, 503][++asked % 3] ?? 500 };
      if (mood === 'cutting-model') return { ...answer, cut: true };
      // Only in the first round of a turn, so that a liar does not keep a turn busy until its last round.
      const isFirst = prompt.messages.at(-1)?.role === 'user';
      if (mood === 'lying-model' && isFirst) return LIES[++asked % LIES.length] ?? answer;
      return answer;
    },
  };
}

const LIES: readonly Answer[] = [
  { calls: [{ name: 'no_such_tool', arguments: '{}' }] },
  { calls: [{ name: 'mark_again', arguments: '{"ledger": ' }] },
  { pieces: [] },
  { pieces: ['I have called mark_once twice, and it was fine.'] },
  { pieces: ['cut off '], finish: 'length' },
];
