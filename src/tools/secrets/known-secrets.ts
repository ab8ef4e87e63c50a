import type { KnownSecrets } from '#safety/rule.ts';
import { createSecretSearch } from '#safety/secret-search.ts';
import type { Owner } from '#store/connection.ts';
import { holdersFor, ownerOf, type SecretHolder } from './holder.ts';
import type { Secrets } from './secrets.ts';

/** How long a secret may be stored before it is looked for. */
const REMEMBER_MS = 1000;

/** Nobody has that many users talking at one moment; the list is begun anew. */
const MAX_REMEMBERED = 2000;

/**
 * What must not be seen in what `owner` reads and sends: own secrets, everyone's, and those of the service itself. Grants
 * to renew a token are left to the one place that opens them.
 */
export function createKnownSecrets(
  secrets: Pick<Secrets, 'list' | 'inVault'>,
  ofService: ReadonlyMap<string, string>,
): (owner: Owner) => Promise<KnownSecrets> {
  const reveal = rememberFor((holder: SecretHolder) => revealAll(secrets, holder));
  return rememberFor(async (owner: Owner, before: KnownSecrets | undefined) => {
    const values = new Map(ofService);
    for (const holder of holdersFor(owner).toReversed())
      for (const [name, value] of await reveal(holder)) values.set(freeName(values, name), value);
    if (before && isSame(before.values, values)) return before; // a search is made once, and used while it holds
    return { values, search: createSecretSearch(values) };
  });
}

function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([name, value]) => other.get(name) === value);
}

/** All who ask at about the same time share one answer. */
function rememberFor<Asker extends SecretHolder, Answer>(
  look: (asker: Asker, before: Answer | undefined) => Promise<Answer>,
) {
  const remembered = new Map<string, { readonly at: number; readonly answer: Promise<Answer> }>();
  return (asker: Asker): Promise<Answer> => {
    const { userId } = ownerOf(asker);
    const last = remembered.get(userId);
    if (last && performance.now() - last.at < REMEMBER_MS) return last.answer;
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    const answer = (last?.answer ?? Promise.resolve(undefined)).then((before) => look(asker, before));
    remembered.set(userId, { at: performance.now(), answer });
    answer.catch(() => remembered.delete(userId)); // the next one asks again
    return answer;
  };
}

async function revealAll(
  secrets: Pick<Secrets, 'list' | 'inVault'>,
  holder: SecretHolder,
): Promise<[string, string][]> {
  const entries = await secrets.list(holder);
  if (entries.length === 0) return [];
  return secrets.inVault(holder, async (vault) => {
    const found: [string, string][] = [];
    for (const { name } of entries) {
      const secret = await vault.find(name);
      if (secret) found.push([name, secret.reveal()]);
    }
    return found;
  });
}

/** Everyone's secret and a user's own may have one name, and neither may be seen. */
function freeName(taken: ReadonlyMap<string, string>, name: string): string {
  return taken.has(name) ? freeName(taken, `${name}_`) : name;
}
