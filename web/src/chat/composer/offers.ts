import { client } from '../../client/client.ts';

/** Something that the composer can write for the person. */
export type Offer = {
  readonly name: string;
  readonly about: string;
  /** What is put in place of what was typed. */
  readonly write: () => Promise<string> | string;
};

/** Gives offers for the letters that follow the mark. A further kind of prompt is one more source. */
type Source = (typed: string) => Promise<readonly Offer[]>;

const templates: Source = async () => {
  const { templates: all } = await client.call('GET /api/templates');
  return all.map(({ name, text }) => ({ name: `/${name}`, about: text, write: () => text }));
};

const notes: Source = async (typed) => {
  const { results } = await client.call('GET /api/memory', { query: { limit: 100 } });
  return results
    .filter(({ path }) => includes(path, typed))
    .map(({ path, text }) => ({ name: path, about: text, write: () => `my note "${path}" ` }));
};

const skills: Source = async () => {
  const { skills: all } = await client.call('GET /api/skills');
  return all
    .filter(({ hidden }) => !hidden)
    .map(({ name, description }) => ({ name, about: description, write: () => `the skill "${name}" ` }));
};

const SOURCES = { '/': [templates], '@': [notes, skills] } as const satisfies Record<string, readonly Source[]>;

const MOST = 8;

export type Mark = keyof typeof SOURCES;

/** What was typed before the caret to get offers: `/` at the start of the message, `@` at the start of a word. */
export function findMark(
  before: string,
): { readonly mark: Mark; readonly typed: string; readonly start: number } | undefined {
  const [, slash] = /^\/([\w:.-]*)$/.exec(before) ?? [];
  if (slash !== undefined) return { mark: '/', typed: slash, start: 0 };
  const [whole, , name] = /(^|\s)@([\w./-]*)$/.exec(before) ?? [];
  return name === undefined || whole === undefined
    ? undefined
    : { mark: '@', typed: name, start: before.length - name.length - 1 };
}

export async function loadOffers(mark: Mark, typed: string): Promise<readonly Offer[]> {
  const found = await Promise.all(SOURCES[mark].map((source) => source(typed).catch(() => [])));
  return found
    .flat()
    .filter(({ name }) => includes(name, typed))
    .slice(0, MOST);
}

const includes = (name: string, typed: string) => name.toLowerCase().includes(typed.toLowerCase());
