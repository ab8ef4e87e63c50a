/** Whether a call is made: at once, after somebody has agreed, or not at all. */
export type Level = 'allow' | 'ask' | 'never';

/** What was read may have misled the model, so that nothing it does from then on happens unasked. */
export function raiseLevel(level: Level, flags: readonly string[]): Level {
  return level === 'allow' && flags.length > 0 ? 'ask' : level;
}

/** The stricter of two opinions. */
export function stricter(one: Level, other: Level): Level {
  return STRICTNESS.indexOf(one) >= STRICTNESS.indexOf(other) ? one : other;
}

const STRICTNESS: readonly Level[] = ['allow', 'ask', 'never'];
