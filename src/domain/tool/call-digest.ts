import { createHash } from 'node:crypto';
import type { GatedCall } from './gate.ts';

/** What an approval is bound to: the tool, its version, and the arguments to the byte. */
export function digestCall({ name, arguments: json }: GatedCall, revision: string | null): string {
  return digestTexts([name, revision ?? '', json]);
}

/** What a standing approval is bound to: the tool, its version, and what its arguments have in common. */
export function digestShape({ name }: GatedCall, revision: string | null, shape: string): string {
  return digestTexts([name, revision ?? '', shape]);
}

/** As JSON no text can pass for the end of another. Half a surrogate pair is escaped, so it differs from any other. */
const digestTexts = (texts: readonly string[]) => createHash('sha256').update(JSON.stringify(texts)).digest('hex');
