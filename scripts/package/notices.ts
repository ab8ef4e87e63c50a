import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { InstalledPackage } from './installed-packages.ts';

/** Lists the packages and their licences; packages with the same licence text share it. */
export async function listNotices(root: string, packages: readonly InstalledPackage[]): Promise<string> {
  const texts = new Map<string, string[]>();
  for (const { folder, name, version, license } of packages) {
    const text = await readLicence(root, path.join(root, folder), license);
    texts.set(text, [...(texts.get(text) ?? []), `${name} ${version} (${license ?? 'see its text'})`]);
  }
  const sections = [...texts].map(([text, titles]) => `## ${titles.join(', ')}\n\n${text}\n`);
  return ['# Third-party notices', '', 'Reborn uses these packages. Thank you.', '', ...sections].join('\n');
}

async function readLicence(root: string, folder: string, license: string | undefined): Promise<string> {
  if (!existsSync(folder))
    return 'This package is for another platform, and was not installed when this file was generated.';

  const files = (await readdir(folder)).filter((file) => LICENCE.test(file)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  if (texts.length > 0) return indented(texts.join('\n'));
  return `The package names its licence but does not include the text, which is:\n\n${indented(await usualText(root, folder, license))}`;
}

async function usualText(root: string, folder: string, license: string | undefined): Promise<string> {
  if (license?.includes('Apache-2.0')) return readFile(path.join(root, 'LICENSE'), 'utf8'); // the same licence as this project's
  if (license === 'MIT') return `MIT License\n\nCopyright (c) ${await authorOf(folder)}\n\n${MIT}`;
  throw new Error(`${folder} has no licence text. Add the standard text of ${license ?? 'its licence'}.`);
}

async function authorOf(folder: string): Promise<string> {
  const text = await readFile(path.join(folder, 'package.json'), 'utf8');
  const { author, name } = JSON.parse(text) as { name: string; author?: string | { name: string } };
  return (typeof author === 'string' ? author : author?.name) ?? `the authors of ${name}`;
}

const LICENCE = /^(licen[cs]e|copying|notice)([.-]|$)/i;

/** As code, so that it is not interpreted as Markdown. */
const indented = (text: string): string =>
  text
    .trim()
    .split(/\r?\n/)
    .map((line) => `    ${line}`.trimEnd())
    .join('\n');

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify,
merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE
FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
