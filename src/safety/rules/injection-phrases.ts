import { INJECTION_PATTERNS } from '../injection/injection-patterns.ts';
import { toPlainLetters } from '../injection/plain-letters.ts';
import type { Rule } from '../rule.ts';

/** Phrases that address the model instead of a reader. None is proof, but each is a reason to ask. */
export const injectionPhrases: Rule = {
  name: 'injection-phrase',
  does: 'ask',
  inspect(text) {
    const raw = text.toLowerCase();
    const plain = toPlainLetters(text);
    const found = INJECTION_PATTERNS.filter(({ pattern, asWritten }) => pattern.test(asWritten ? raw : plain));
    return { times: found.length, text };
  },
};
