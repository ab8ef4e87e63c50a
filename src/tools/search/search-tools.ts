import type { ToolDefinition } from '#domain/tool/tool.ts';

/** The tools that fit a few words best, by BM25 over their names, descriptions and parameters. */
export function searchTools(tools: readonly ToolDefinition[], query: string, most: number): ToolDefinition[] {
  const documents = tools.map((tool) => ({ tool, words: wordsOf(tool) }));
  const average = documents.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, documents.length);
  const asked = [...new Set(split(query.slice(0, MAX_QUERY)))];
  const rarity = new Map(asked.map((word) => [word, rarityOf(word, documents)]));
  const score = ({ length, counts }: Words) =>
    asked.reduce((sum, word) => {
      const count = counts.get(word) ?? 0;
      return sum + ((rarity.get(word) ?? 0) * count * (K + 1)) / (count + K * (1 - B + (B * length) / average));
    }, 0);
  return documents
    .map(({ tool, words }) => ({ tool, score: score(words) }))
    .filter((found) => found.score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, most)
    .map(({ tool }) => tool);
}

const MAX_QUERY = 500;
const [K, B] = [1.2, 0.75];

/** A word in a name says more than one in a description. */
const NAME_WEIGHT = 3;

type Words = { readonly length: number; readonly counts: ReadonlyMap<string, number> };

function rarityOf(word: string, documents: readonly { readonly words: Words }[]): number {
  const having = documents.filter(({ words }) => words.counts.has(word)).length;
  return Math.log(1 + (documents.length - having + 0.5) / (having + 0.5));
}

const known = new WeakMap<ToolDefinition, Words>();

/** Kept with the definition, which stays the same until its server lists another. */
function wordsOf(tool: ToolDefinition): Words {
  const before = known.get(tool);
  if (before) return before;
  const counts = new Map<string, number>();
  const count = (text: string, weight: number) => {
    for (const word of split(text)) counts.set(word, (counts.get(word) ?? 0) + weight);
  };
  count(tool.name, NAME_WEIGHT);
  count(tool.description ?? '', 1);
  count(Object.keys(propertiesOf(tool)).join(' '), 1);
  const words = { length: [...counts.values()].reduce((sum, each) => sum + each, 0), counts };
  known.set(tool, words);
  return words;
}

function propertiesOf({ parameters }: ToolDefinition): object {
  const properties = parameters?.['properties'];
  return typeof properties === 'object' && properties !== null ? properties : {};
}

/** Words in lower case, without endings, also those inside `camelCase` and `snake_case`. */
function split(text: string): string[] {
  const words = text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return words.filter((word) => word !== '' && !COMMON.has(word)).map(withoutEnding);
}

const COMMON = new Set(
  'a an and are as at be by for from in into is it its me my of on or that the this to with'.split(' '),
);

function withoutEnding(word: string): string {
  if (word.length < 4) return word;
  return word
    .replace(/(?:ies|y)$/, 'i')
    .replace(/(?<=[^s])(?:es|s|ing|ed)$/, '')
    .replace(/e$/, '');
}
