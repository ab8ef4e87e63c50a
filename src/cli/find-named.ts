/** As much of an id as lists show: its end, because ids that were made together begin alike. */
export const shortId = (id: string): string => id.slice(-SHORT);

const SHORT = 8;
const WHOLE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PART = /^[0-9a-f-]{4,35}$/i;
const MOST_SHOWN = 5;

type Named = { readonly id: string; readonly name: string };
type Kind = { readonly kind: string; readonly list: string };

/** What a person means by a whole id, by the beginning or end of one, or by a name. */
export async function findId(given: string, readAll: () => Promise<readonly Named[]>, named: Kind): Promise<string> {
  if (WHOLE.test(given)) return given;
  const all = await readAll();
  const word = given.trim().toLowerCase();
  const byName = all.filter(({ name }) => name.toLowerCase() === word);
  const found = byName.length > 0 ? byName : all.filter(({ id }) => PART.test(word) && fits(id, word));
  const [first] = found;
  if (!first) throw new Error(`The ${named.kind} "${given}" does not exist. \`${named.list}\` shows all.`);
  if (found.length === 1) return first.id;
  const shown = found.slice(0, MOST_SHOWN).map(({ id, name }) => `\n  ${id}  ${name}`);
  throw new Error(`"${given}" fits ${found.length} of them. Give the whole id:${shown.join('')}`);
}

const fits = (id: string, part: string) => id.startsWith(part) || id.endsWith(part);
