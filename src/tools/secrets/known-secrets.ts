import { isSearchedSecret } from '#domain/model-key.ts';
import type { KnownSecrets } from '#safety/rule.ts';
import type { Owner } from '#store/connection.ts';
import { holdersFor, ownerOf, type SecretHolder } from './holder.ts';
import type { Secrets } from './secrets.ts';

/** How long a secret may be stored before it is looked for by those who don't know the state of the table. */
const REMEMBER_MS = 1000;

/** The most users in the cache. Above it, the cache is cleared. */
const MAX_REMEMBERED = 2000;

/** The secrets that must not be seen in what `owner` reads and sends. */
export type FindKnownSecrets = (owner: Owner, version?: SecretsVersion) => Promise<KnownSecrets>;

/** The state of the table for one user: it changes with each secret that is added, changed or removed. null: there is none. */
export type SecretsVersion = string | null;

/**
 * Own secrets, everyone's, and the service's. Grants to renew a token are left to the one place that opens them.
 * An answer for the same version is used again; without a version, only for a second.
 */
export function createKnownSecrets(
  secrets: Pick<Secrets, 'list' | 'inVault'>,
  ofService: ReadonlyMap<string, string>,
): FindKnownSecrets {
  type Remembered = {
    readonly version: SecretsVersion | undefined;
    at: number;
    readonly answer: Promise<KnownSecrets>;
  };
  const remembered = new Map<string, Remembered>();
  const ofServiceAlone = Promise.resolve({ values: ofService });

  async function look(owner: Owner, before: KnownSecrets | undefined): Promise<KnownSecrets> {
    const values = new Map(ofService);
    for (const holder of holdersFor(owner).toReversed())
      for (const [name, value] of await revealAll(secrets, holder)) values.set(freeName(values, name), value);
    if (before && isSame(before.values, values)) return before; // so that its cached search is used again
    return { values };
  }

  return (owner, version) => {
    const { userId } = ownerOf(owner);
    const last = remembered.get(userId);
    const isCurrent =
      version === undefined ? last && performance.now() - last.at < REMEMBER_MS : last?.version === version;
    if (last && isCurrent) {
      if (version !== undefined) last.at = performance.now();
      return last.answer;
    }
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    const lookAgain = async () => look(owner, await last?.answer.catch(() => undefined));
    const answer = version === null ? ofServiceAlone : lookAgain();
    remembered.set(userId, { version, at: performance.now(), answer });
    answer.catch(() => remembered.delete(userId)); // the next caller asks again
    return answer;
  };
}

function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([name, value]) => other.get(name) === value);
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
      const value = secret?.reveal();
      if (value !== undefined && isSearchedSecret(name, value)) found.push([name, value]);
    }
    return found;
  });
}

/** Everyone's secret and a user's own may have one name, and neither may be seen. */
function freeName(taken: ReadonlyMap<string, string>, name: string): string {
  return taken.has(name) ? freeName(taken, `${name}_`) : name;
}
