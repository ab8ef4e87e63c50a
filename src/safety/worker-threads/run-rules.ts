import { checkCitations, type FilePage } from '#domain/search/citations.ts';
import type { NumberedSource } from '#domain/search/source.ts';
import { hostsIn } from '../addresses/hosts-in.ts';
import type { Action, Rule, RuleFacts } from '../rule.ts';
import { hiddenText } from '../rules/hidden-text.ts';
import { imageBeacon } from '../rules/image-beacon.ts';
import { injectionPhrases } from '../rules/injection-phrases.ts';
import { longEncoding } from '../rules/long-encoding.ts';
import { secretFormArguments, secretForms } from '../rules/secret-forms.ts';
import { storedSecretArguments, storedSecrets } from '../rules/stored-secrets.ts';
import { createSecretSearch, type Redacted, type SecretSearch } from '../secrets/secret-search.ts';

/** The findings in a text. `text` is absent when nothing was redacted. */
export type Findings = { readonly text?: string; readonly actions: readonly Action[] };

/** The values to search for, and a number that stays the same as long as they do. */
export type Wanted = { readonly id: number; readonly values: ReadonlyMap<string, string> };

/** Content from others: a tool's output, a fetched page, a note. */
const INCOMING: readonly Rule[] = [injectionPhrases, imageBeacon, hiddenText, storedSecrets, secretForms];

/** Arguments that the model sends to a tool. */
const OUTGOING: readonly Rule[] = [storedSecretArguments, secretFormArguments, longEncoding];

/** Only the rules that ask, for stored text that was inspected before. */
const ASKING = INCOMING.filter(({ does }) => does === 'ask');

export const incoming = ({ text, wanted }: { text: string; wanted: Wanted }) => run(INCOMING, text, wanted);
export const outgoing = ({ text, wanted }: { text: string; wanted: Wanted }) => run(OUTGOING, text, wanted);
export const asking = ({ text }: { text: string }) => run(ASKING, text, { id: 0, values: new Map() });

export const redact = ({ bytes, wanted }: { bytes: Uint8Array; wanted: Wanted }): Redacted =>
  searchFor(wanted).redact(bytes);

export const find = ({ parts, wanted }: { parts: (string | Uint8Array)[]; wanted: Wanted }): string | undefined =>
  searchFor(wanted).findIn(...parts);

export const namesHost = ({ host, texts }: { host: string; texts: readonly string[] }): boolean =>
  texts.some((text) => hostsIn(text).has(host));

type Cited = {
  readonly text: string;
  readonly sources: readonly NumberedSource[];
  readonly pages: readonly FilePage[];
};

export const citations = ({ text, sources, pages }: Cited) => checkCitations(text, sources, pages);

async function run(rules: readonly Rule[], text: string, wanted: Wanted): Promise<Findings> {
  const facts: RuleFacts = { search: searchFor(wanted) };
  const actions: Action[] = [];
  let kept = text;
  for (const rule of rules) {
    const found = await rule.inspect(kept, facts);
    if (found.times === 0) continue;
    kept = found.text;
    actions.push({ rule: rule.name, does: rule.does, times: found.times });
  }
  return { actions, ...(kept !== text && { text: kept }) };
}

/** The most recent searches, because building one takes some milliseconds. */
const searches = new Map<number, SecretSearch>();
const MAX_SEARCHES = 100;

function searchFor({ id, values }: Wanted): SecretSearch {
  const search = searches.get(id) ?? createSecretSearch(values);
  searches.delete(id);
  searches.set(id, search);
  for (const oldest of searches.keys()) {
    if (searches.size <= MAX_SEARCHES) break;
    searches.delete(oldest);
  }
  return search;
}
