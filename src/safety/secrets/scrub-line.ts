import { redactRanges } from './redact-ranges.ts';
import { findSecretForms } from './secret-forms.ts';

/** Removes text that looks like a secret from a JSON log line. */
export function scrubLine(line: string): string {
  return redactRanges(line, findSecretForms(withoutEscapes(line))).text;
}

/** After a line break, a secret must not look like a longer word that starts with the `n` of `\n`. */
function withoutEscapes(line: string): string {
  return line.replace(/\\+(?:["/bfnrt]|u[\da-f]{4})?/gi, (escape) => ' '.repeat(escape.length));
}
