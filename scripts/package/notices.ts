import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { InstalledPackage } from './installed-packages.ts';

/** Whose work is used, and under which licence; those with the same text share it. */
export async function listNotices(root: string, packages: readonly InstalledPackage[]): Promise<string> {
  const texts = new Map<string, string[]>();
  for (const { folder, name, version, license } of packages) {
    const text = await readLicence(path.join(root, folder));
    texts.set(text, [...(texts.get(text) ?? []), `${name} ${version} (${license ?? 'see its text'})`]);
  }
  const sections = [...texts].map(([text, titles]) => `## ${titles.join(', ')}\n\n${text}\n`);
  return ['# Third-party notices', '', 'Reborn uses these packages. Thank you.', '', ...sections].join('\n');
}

async function readLicence(folder: string): Promise<string> {
  if (!existsSync(folder)) return 'It is for other machines, and was not at hand when this was written.';

  const files = (await readdir(folder)).filter((file) => LICENCE.test(file)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  return texts.length > 0 ? indented(texts.join('\n')) : 'The package brings no licence text of its own.';
}

const LICENCE = /^(licen[cs]e|copying|notice)([.-]|$)/i;

/** As code, so that nothing in it is taken for Markdown. */
const indented = (text: string): string =>
  text
    .trim()
    .split(/\r?\n/)
    .map((line) => `    ${line}`.trimEnd())
    .join('\n');
