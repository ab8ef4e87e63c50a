import { redactRanges } from './redact-ranges.ts';
import { findSecretForms } from './secret-forms.ts';

/** A line of the log without what looks like a secret. */
export function scrubLine(line: string): string {
  return redactRanges(line, findSecretForms(line)).text;
}
