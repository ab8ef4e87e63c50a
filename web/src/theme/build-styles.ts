import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { compile } from 'tailwindcss';

/** The styles of the app, with a rule for each of these classes that has one. For tests: the build uses Vite. */
export async function buildStyles(classes: Iterable<string>): Promise<string> {
  const theme = await readFile(path.join(import.meta.dirname, 'theme.css'), 'utf8');
  const compiler = await compile(theme, { base: import.meta.dirname, loadStylesheet });
  return compiler.build([...classes]);
}

async function loadStylesheet(id: string, base: string) {
  const { resolve } = createRequire(import.meta.url);
  const file = id.startsWith('.') ? path.join(base, id) : resolve(id.endsWith('.css') ? id : `${id}/index.css`);
  return { path: file, base: path.dirname(file), content: await readFile(file, 'utf8') };
}
