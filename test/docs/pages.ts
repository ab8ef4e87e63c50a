import { globSync, readFileSync } from 'node:fs';

export type Page = { readonly path: string; readonly text: string };

/** Every page of the documentation, with its path in the checkout. */
export function readPages(): Page[] {
  return globSync(['*.md', '{docs,examples,client}/**/*.md'], { exclude: ['**/node_modules/**', '**/dist/**'] })
    .toSorted()
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}
