import { createHash } from 'node:crypto';
import type { BlockReason } from '#domain/thread/item.ts';
import type { Action, KnownSecrets } from './rule.ts';
import type { Findings } from './worker-threads/run-rules.ts';
import { wantedOf } from './worker-threads/wanted.ts';
import { runInWorker, unlessGivenUp } from './worker-threads/worker-pool.ts';

export type Inspected = {
  /** The text after redaction. */
  readonly text: string;
  /** The rules that require approval of later actions. */
  readonly flags: readonly string[];
  readonly actions: readonly Action[];
};

export type InspectedCall = Inspected & { readonly blocked: BlockReason | undefined };

/** Longer texts are not searched, and count as suspicious. */
const MAX_LENGTH = 2 * 1024 * 1024;

/** The flag for a text that is too long or whose search was given up. */
const UNSEARCHED = 'not-searched';

/** `lane` is the user whose text it is. */
export async function inspectIncoming(text: string, known: KnownSecrets, lane = ''): Promise<Inspected> {
  const findings = await apply('incoming', text, known, lane);
  if (findings) return toInspected(text, findings);
  return toInspected(text, { text: WITHHELD, actions: [{ rule: UNSEARCHED, does: 'redact', times: 1 }] });
}

const WITHHELD = `[withheld: the text could not be searched for secrets; texts of more than ${MAX_LENGTH} characters are not]`;

export async function inspectOutgoing(argumentsJson: string, known: KnownSecrets, lane = ''): Promise<InspectedCall> {
  const findings = await apply('outgoing', argumentsJson, known, lane);
  if (!findings) {
    const unsearched: Findings = { actions: [{ rule: UNSEARCHED, does: 'block', times: 1 }] };
    return { ...toInspected(argumentsJson, unsearched), blocked: 'unsearched' };
  }
  const isLeak = findings.actions.some(({ does }) => does === 'block');
  return { ...toInspected(argumentsJson, findings), blocked: isLeak ? 'leak' : undefined };
}

/** Only the rules that ask, for stored text that was inspected before. A thread is inspected at every call. */
export async function findFlags(text: string, lane = ''): Promise<readonly string[]> {
  if (text.trim() === '') return [];
  const key = createHash('sha256').update(text).digest('base64');
  const flags = remembered.get(key) ?? flagsOf(text, lane);
  remembered.delete(key);
  remembered.set(key, flags);
  flags.catch(() => remembered.delete(key));
  for (const oldest of remembered.keys()) {
    if (remembered.size <= MAX_REMEMBERED) break;
    remembered.delete(oldest);
  }
  return flags;
}

const remembered = new Map<string, Promise<readonly string[]>>();
const MAX_REMEMBERED = 5_000;

async function flagsOf(text: string, lane: string): Promise<readonly string[]> {
  const findings = await apply('asking', text, NOTHING_KNOWN, lane);
  return findings ? toInspected(text, findings).flags : [UNSEARCHED];
}

const NOTHING_KNOWN: KnownSecrets = { values: new Map() };

/** The findings of the rules; undefined when the text is too long, or the search took too long. */
function apply(run: string, text: string, known: KnownSecrets, lane: string): Promise<Findings | undefined> {
  if (text === '') return Promise.resolve({ actions: [] });
  if (text.length > MAX_LENGTH) return Promise.resolve(undefined);
  return unlessGivenUp(
    runInWorker({
      program: 'safety/worker-threads/run-rules',
      run,
      input: { text, wanted: wantedOf(known.values) },
      lane,
    }),
  );
}

function toInspected(given: string, { text = given, actions }: Findings): Inspected {
  return { text, actions, flags: actions.filter(({ does }) => does === 'ask').map(({ rule }) => rule) };
}
