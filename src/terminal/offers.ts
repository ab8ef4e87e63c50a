import type { Client } from '@reborn-agent/client';
import { oneLine } from './screen/printable.ts';

/** Something that the composer can complete. */
export type Offer = {
  /** What is written in place of what was typed. */
  readonly value: string;
  readonly label: string;
  readonly description: string;
};

/** What the service can complete: templates and prompts after a `/`; notes, skills and resources after an `@`. */
export type Offers = {
  commands(): Promise<readonly Offer[]>;
  mentions(typed: string): Promise<readonly Offer[]>;
};

type Source = () => Promise<readonly Offer[]>;

/** A list is asked for once while a word is typed. */
const REMEMBER_MS = 5000;
/** The resources of a server are asked for at the server, which may limit requests. */
const REMEMBER_RESOURCES_MS = 60_000;
/** Commands and files are offered soon, even if the service is slow. */
const LONGEST_WAIT_MS = 1000;
const MOST_MENTIONS = 20;

export function createOffers(client: Client): Offers {
  const templates = remember(REMEMBER_MS, async () => {
    const found = await client.call('GET /api/templates');
    return found.templates.map(({ name, text }) => offer(name, text));
  });
  const notes = remember(REMEMBER_MS, async () => {
    const { results } = await client.call('GET /api/memory', { query: { limit: 100 } });
    return results.map(({ path, text }) => ({ ...offer(path, `note: ${text}`), value: `my note "${oneLine(path)}"` }));
  });
  const skills = remember(REMEMBER_MS, async () => {
    const found = await client.call('GET /api/skills');
    return found.skills
      .filter(({ hidden }) => !hidden)
      .map(({ name, description }) => ({ ...offer(name, `skill: ${description}`), value: `the skill "${name}"` }));
  });
  const servers = remember(REMEMBER_MS, async () => {
    const found = await client.call('GET /api/mcp');
    return found.servers.filter(({ hidden }) => !hidden);
  });
  const prompts = async () =>
    (await servers()).flatMap(({ name: server, prompts: all }) =>
      all.map(({ name, description }) => offer(`${server}:${name}`, description)),
    );
  const resourceLists = new Map<string, Source>();
  const resourcesOf = (name: string): Source => {
    const known = resourceLists.get(name) ?? remember(REMEMBER_RESOURCES_MS, () => listResources(client, name));
    resourceLists.set(name, known);
    return known;
  };
  /** The start of a server's name comes first, because each list is a request to that server. */
  const resources = async (typed: string) => {
    const [start = ''] = typed.split(':');
    const named = start === '' ? [] : (await servers()).filter((each) => each.resources && each.name.startsWith(start));
    return soon(named.map(({ name }) => resourcesOf(name)));
  };

  return {
    commands: () => soon([templates, prompts]),
    async mentions(typed) {
      const found = await soon([notes, skills, () => resources(typed)]);
      return found.filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase())).slice(0, MOST_MENTIONS);
    },
  };
}

async function listResources(client: Client, server: string): Promise<readonly Offer[]> {
  const { resources } = await client.call('GET /api/mcp/{name}/resources', { params: { name: server } });
  return resources
    .filter(({ template, uri }) => !template && !/\s/.test(uri))
    .map(({ uri, name, description }) => ({
      ...offer(`${server}:${uri}`, `resource: ${description || name}`),
      value: `@${server}:${oneLine(uri)}`,
    }));
}

const offer = (name: string, about: string): Offer => ({
  value: oneLine(name),
  label: oneLine(name),
  description: oneLine(about),
});

/** Gives the same list again for a while, and then until the next one has come. A failed request is repeated at once. */
function remember<T>(forMs: number, load: () => Promise<T>): () => Promise<T> {
  let asked: { readonly at: number; readonly list: Promise<T> } | undefined;
  let latest: Promise<T> | undefined;
  return () => {
    if (!asked || Date.now() - asked.at >= forMs) {
      const list = load();
      asked = { at: Date.now(), list };
      list.then(
        () => {
          latest = list;
        },
        () => {
          asked = undefined;
        },
      );
    }
    return latest ?? asked.list;
  };
}

/** What the sources give in time. A source that fails offers nothing: the person only types on. */
async function soon(sources: readonly Source[]): Promise<readonly Offer[]> {
  const found = await Promise.all(
    sources.map((source) => {
      const { promise: late, resolve } = Promise.withResolvers<readonly Offer[]>();
      const timer = setTimeout(resolve, LONGEST_WAIT_MS, []);
      return Promise.race([source().catch(() => []), late]).finally(() => clearTimeout(timer));
    }),
  );
  return found.flat();
}
