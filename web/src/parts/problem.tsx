import { Alert } from './alert.tsx';
import { type OwnSentences, wordsOf } from './error-words.ts';

/** Why a request failed, and a way on. */
export function Problem({
  error,
  own,
  onRetry,
}: {
  readonly error: unknown;
  readonly own?: OwnSentences;
  readonly onRetry?: () => void;
}) {
  return <Alert onRetry={onRetry}>{wordsOf(error, own)}</Alert>;
}
