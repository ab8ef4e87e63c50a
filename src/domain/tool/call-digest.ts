import { createHash } from 'node:crypto';
import type { MissionId } from '../ids.ts';
import type { AskedCall, GatedCall } from './gate.ts';

/** An approval applies to one tool, its version, exactly these arguments, and the state of what they name, if that matters. */
export function digestCall({ name, arguments: json }: GatedCall, revision: string | null, state?: string): string {
  return digestTexts([name, revision ?? '', json, ...(state === undefined ? [] : [state])]);
}

/** What a card shows: all of its calls, each with its tool's version. */
export function digestCalls(calls: readonly AskedCall[]): string {
  const [first = '', ...others] = calls.map(({ call, revision }) => digestCall(call, revision));
  return others.length === 0 ? first : digestTexts([first, ...others]);
}

/** A standing approval applies to one tool, its version, and one shape of arguments; it can be limited to runs of one mission. */
export function digestShape({ name }: GatedCall, revision: string | null, shape: string, mission?: MissionId): string {
  return digestTexts([name, revision ?? '', shape, ...(mission ? [mission] : [])]);
}

/** As JSON no text can pass for the end of another. Half a surrogate pair is escaped, so it differs from any other. */
const digestTexts = (texts: readonly string[]) => createHash('sha256').update(JSON.stringify(texts)).digest('hex');
