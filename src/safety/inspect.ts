import type { Action, KnownSecrets, Rule } from './rule.ts';
import { hiddenText } from './rules/hidden-text.ts';
import { imageBeacon } from './rules/image-beacon.ts';
import { injectionPhrases } from './rules/injection-phrases.ts';
import { longEncoding } from './rules/long-encoding.ts';
import { secretFormArguments } from './rules/secret-form-arguments.ts';
import { secretForms } from './rules/secret-forms.ts';
import { storedSecretArguments } from './rules/stored-secret-arguments.ts';
import { storedSecrets } from './rules/stored-secrets.ts';
import { createSecretSearch } from './secret-search.ts';

export type Inspected = {
  /** Without what was redacted. */
  readonly text: string;
  /** The rules that want what follows to be asked for. */
  readonly flags: readonly string[];
  readonly actions: readonly Action[];
};

export type InspectedCall = Inspected & { readonly isBlocked: boolean };

/** What comes in from somebody else: a tool's output, a fetched page, a note. */
const INCOMING: readonly Rule[] = [injectionPhrases, imageBeacon, hiddenText, storedSecrets, secretForms];

/** What the model wants to send to a tool. */
const OUTGOING: readonly Rule[] = [storedSecretArguments, secretFormArguments, longEncoding];

export function inspectIncoming(text: string, known: KnownSecrets): Promise<Inspected> {
  return inspect(INCOMING, text, known);
}

/** Only the rules that ask: of what was inspected before, and is kept. */
export async function findFlags(text: string): Promise<readonly string[]> {
  return (await inspect(ASKING, text, NOTHING_KNOWN)).flags;
}

const ASKING = INCOMING.filter(({ does }) => does === 'ask');
const NOTHING_KNOWN: KnownSecrets = { values: new Map(), search: createSecretSearch(new Map()) };

export async function inspectOutgoing(argumentsJson: string, known: KnownSecrets): Promise<InspectedCall> {
  const inspected = await inspect(OUTGOING, argumentsJson, known);
  return { ...inspected, isBlocked: inspected.actions.some(({ does }) => does === 'block') };
}

async function inspect(rules: readonly Rule[], text: string, known: KnownSecrets): Promise<Inspected> {
  const actions: Action[] = [];
  let kept = text;
  for (const rule of rules) {
    const found = await rule.inspect(kept, known);
    if (found.times === 0) continue;
    kept = found.text;
    actions.push({ rule: rule.name, does: rule.does, times: found.times });
  }
  return { text: kept, flags: actions.filter(({ does }) => does === 'ask').map(({ rule }) => rule), actions };
}
