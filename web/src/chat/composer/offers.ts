import { t } from '@lingui/core/macro';
import type { McpServerList } from '@reborn-agent/client/api';
import { chosenOf } from '../../assistants/use-assistants.ts';
import { client } from '../../client/client.ts';

/** Something that the composer can write for the person. */
export type Offer = {
  readonly name: string;
  readonly about: string;
  /** What the person fills in first. */
  readonly fields?: McpPrompt['arguments'];
  /** It means something at the start of a message only. */
  readonly startsMessage?: true;
  /** The page that it opens instead of writing something. */
  readonly leadsTo?: string;
  /** What is put in place of what was typed. */
  readonly write: (given: Readonly<Record<string, string>>) => Promise<string> | string;
};

type McpPrompt = McpServerList['servers'][number]['prompts'][number];

/** Gives offers for the letters that follow the mark. A further kind of prompt is one more source. */
type Source = (typed: string) => Promise<readonly Offer[]>;

const templates: Source = async () => {
  const { templates: all } = await client.call('GET /api/templates');
  return all.map(({ name, text }) => ({ name: `/${name}`, about: text, write: () => text }));
};

/** Only at the start of a message: it is sent to the assistant then. */
const assistants: Source = async () => {
  const { assistants: all } = await client.call('GET /api/assistants');
  return chosenOf(all).map(({ name, description }) => ({
    name,
    about: description || t`Assistant`,
    startsMessage: true,
    write: () => `@${name} `,
  }));
};

const notes: Source = async (typed) => {
  const { results } = await client.call('GET /api/memory', { query: { limit: 100 } });
  return results
    .filter(({ path }) => includes(path, typed))
    .map(({ path, text }) => ({ name: path, about: text, write: () => `${t`my note "${path}"`} ` }));
};

const skills: Source = async () => {
  const { skills: all } = await client.call('GET /api/skills');
  return all
    .filter(({ hidden }) => !hidden)
    .map(({ name, description }) => ({ name, about: description, write: () => `${t`the skill "${name}"`} ` }));
};

/** The servers that the agent uses. */
async function listServers(): Promise<McpServerList['servers']> {
  const { servers } = await client.call('GET /api/mcp');
  return servers.filter(({ hidden }) => !hidden);
}

/** What an MCP server writes for a person to send. */
const serverPrompts: Source = async () =>
  (await listServers()).flatMap((server) =>
    server.prompts.map(({ name, description, arguments: fields }) => ({
      name: `/${server.name}:${name}`,
      about: description,
      fields,
      write: async (given) => {
        const body = { prompt: name, arguments: given };
        return (await client.call('POST /api/mcp/{name}/prompt', { params: { name: server.name }, body })).text;
      },
    })),
  );

/** The list is read at the server, so the person types the start of its name first. */
const serverResources: Source = async (typed) => {
  const [start = ''] = typed.split(':');
  const servers = start === '' ? [] : await listServers();
  const named = servers.filter(({ name, resources }) => resources && name.startsWith(start));
  const lists = await Promise.all(named.map(({ name }) => listResources(name).catch(() => [])));
  return lists.flat();
};

/** Each look at a list is a request to the server, and their number is limited. */
const REMEMBER_MS = 60_000;
const remembered = new Map<string, { readonly at: number; readonly list: Promise<readonly Offer[]> }>();

function listResources(server: string): Promise<readonly Offer[]> {
  const known = remembered.get(server);
  if (known && Date.now() - known.at < REMEMBER_MS) return known.list;
  const list = client.call('GET /api/mcp/{name}/resources', { params: { name: server } }).then(({ resources }) =>
    resources
      .filter(({ template }) => !template)
      .map(({ uri, name, description }) => ({
        name: `${server}:${uri}`,
        about: description || name,
        write: () => `${t`the resource "${uri}" of ${server}`} `,
      })),
  );
  remembered.set(server, { at: Date.now(), list });
  return list;
}

const SOURCES = {
  '/': [templates, serverPrompts],
  '@': [assistants, notes, skills, serverResources],
} as const satisfies Record<string, readonly Source[]>;

const MOST = 8;

export type Mark = keyof typeof SOURCES;

/** What was typed before the caret to get offers: `/` at the start of the message, `@` at the start of a word. */
export function findMark(
  before: string,
): { readonly mark: Mark; readonly typed: string; readonly start: number } | undefined {
  const [, slash] = /^\/([\w:.-]*)$/.exec(before) ?? [];
  if (slash !== undefined) return { mark: '/', typed: slash, start: 0 };
  const [whole, , name] = /(^|\s)@([\w:./-]*)$/.exec(before) ?? [];
  return name === undefined || whole === undefined
    ? undefined
    : { mark: '@', typed: name, start: before.length - name.length - 1 };
}

/** `start`: where the mark is in the message. */
export async function loadOffers(mark: Mark, typed: string, start: number): Promise<readonly Offer[]> {
  const found = await Promise.all(SOURCES[mark].map((source) => source(typed).catch(() => [])));
  return found
    .flat()
    .filter(({ name, startsMessage }) => includes(name, typed) && (start === 0 || !startsMessage))
    .slice(0, MOST);
}

/** What is offered when nothing can be: the way to create the first one. */
export function offersOfNone(mark: Mark): readonly Offer[] {
  const [name, about, leadsTo] =
    mark === '/'
      ? [t`Create a template`, t`A text that you send often`, '/settings/instructions']
      : [t`Write a note`, t`Notes, skills and what connectors offer are named with @`, '/memory'];
  return [{ name, about, leadsTo, write: () => '' }];
}

const includes = (name: string, typed: string) => name.toLowerCase().includes(typed.toLowerCase());
