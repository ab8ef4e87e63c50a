import { redactRanges } from './redact-ranges.ts';
import { findSecretForms } from './secret-forms.ts';

/** A line of the log, which is JSON, without what looks like a secret. */
export function scrubLine(line: string): string {
  return redactRanges(line, findSecretForms(withoutEscapes(line))).text;
}

/** A secret may follow a line break, and is not to look like a longer word that begins with the `n` of `\n`. */
function withoutEscapes(line: string): string {
  return line.replace(/\\+(?:["/bfnrt]|u[\da-f]{4})?/gi, (escape) => ' '.repeat(escape.length));
}
