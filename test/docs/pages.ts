import { globSync, readFileSync } from 'node:fs';

export type Page = { readonly path: string; readonly text: string };

/** Every page that people read, by its path in the checkout. */
export function readPages(): Page[] {
  return globSync(['*.md', '{docs,examples,tools}/**/*.md'], { exclude: ['**/node_modules/**', '**/dist/**'] })
    .toSorted()
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}
