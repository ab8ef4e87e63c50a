import type { Refusal } from '../authenticate.ts';
import { otherCellOf } from './operator-token.ts';

/** The verdict on a token, cookie or code that this cell does not know. */
export function judgeUnknown(secret: string): Refusal {
  const cell = otherCellOf(secret);
  return cell === undefined ? { outcome: 'unknown' } : { outcome: 'elsewhere', cell, isGuess: true };
}
