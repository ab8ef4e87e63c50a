import type { ToolCard } from '#domain/tool/call-card.ts';
import { codeCards } from './code-cards.ts';
import { fileCards } from './file-cards.ts';
import { memoryCards } from './memory-cards.ts';
import { missionCards } from './mission-cards.ts';
import { otherCards } from './other-cards.ts';
import { webCards } from './web-cards.ts';

/**
 * How the calls of the built-in tools read on a card. Sentences name what decides about a call: never the words that the model gives it,
 * such as the title of code.
 */
export const BUILTIN_CARDS: ReadonlyMap<string, ToolCard> = new Map(
  Object.entries({ ...memoryCards, ...missionCards, ...fileCards, ...codeCards, ...webCards, ...otherCards }),
);
