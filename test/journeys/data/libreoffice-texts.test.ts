import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createExtractor } from '#documents/extractor.ts';
import type { DocumentKind } from '#domain/workspace/document.ts';
import { findWall } from '#tools/component/jail/wall.ts';

/** The long form, for a machine with LibreOffice: Debian's `libreoffice-writer-nogui`, `-calc-nogui` and `-impress-nogui`. */
const LONG = Boolean(process.env['ENDURANCE']);
const FILES_OF_A_KIND = 40;

type Source = {
  readonly kind: DocumentKind;
  /** How LibreOffice reads the source, and what it writes. */
  readonly from: string;
  readonly ending: string;
  readonly to: string;
  readonly make: (words: Words) => string;
};
type Words = { readonly title: string; readonly first: string; readonly second: string };

const SOURCES: readonly Source[] = [
  ...(['docx', 'odt', 'pdf'] as const).map((kind) => ({
    kind,
    from: 'HTML (StarWriter)',
    ending: 'html',
    to: kind === 'pdf' ? 'pdf:writer_pdf_Export' : kind,
    make: toHtml,
  })),
  { kind: 'xlsx', from: 'CSV:44,34,76', ending: 'csv', to: 'xlsx', make: toCsv },
  { kind: 'pptx', from: 'OpenDocument Presentation Flat XML', ending: 'fodp', to: 'pptx', make: toSlides },
];

test.runIf(LONG)(
  '200 documents that LibreOffice has written have the text that went in',
  { timeout: 600_000 },
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'reborn-office-'));
    const extract = createExtractor({ findWall });
    for (const { kind, from, ending, to, make } of SOURCES) {
      const at = path.join(folder, kind);
      await mkdir(at);
      const seeds = Array.from({ length: FILES_OF_A_KIND }, (_, seed) => seed);
      for (const seed of seeds) await writeFile(path.join(at, `${seed}.${ending}`), make(wordsOf(seed)));
      const sources = seeds.map((seed) => path.join(at, `${seed}.${ending}`));
      const settings = [`-env:UserInstallation=file://${folder}/settings`, '--headless', `--infilter=${from}`];
      execFileSync('soffice', [...settings, '--convert-to', to, '--outdir', at, ...sources], { stdio: 'pipe' });
      for (const seed of seeds) {
        const bytes = await readFile(path.join(at, `${seed}.${kind}`));
        const read = await extract(kind, bytes, new AbortController().signal);
        const { title, first, second } = wordsOf(seed);
        const text =
          'pages' in read ? read.pages.flatMap(({ blocks }) => blocks.map((block) => block.text)) : read.reason;
        expect({ kind, seed, text: plain([text].flat().join(' ')) }).toEqual({
          kind,
          seed,
          text: plain(`${title} ${first} ${second}`),
        });
      }
    }
    await rm(folder, { recursive: true });
  },
);

/** Without what tables and lists have between their words. A line can end after a dash. */
const plain = (text: string): string =>
  (text.replaceAll(/(?<=\S–)\s+/g, '').match(/\S+/g) ?? []).filter((word) => !/^[-•|]$/.test(word)).join(' ');

function wordsOf(seed: number): Words {
  const word = (index: number) =>
    `${LETTERS[(seed + index) % LETTERS.length]}${(seed * 7919 + index * 104_729) % 99_991}`;
  const words = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => word(from + index)).join(' ');
  return { title: words(0, 5), first: words(5, 60), second: words(65, 8) };
}

/** Parts of words that are written in other ways in files: with accents, ligatures, marks of XML, another direction of quotes. */
const LETTERS = ['größe', 'naïve', 'fi', 'Ω', 'a&b', '<c>', '„d“', 'it’s', '100%', 'e–f', 'word'];

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The words in a heading, a paragraph with formats, a list and a table. */
function toHtml({ title, first, second }: Words): string {
  const words = first.split(' ').map((word, index) => {
    const text = escaped(word);
    if (index % 7 === 0) return `<b>${text}</b>`;
    return index % 5 === 0 ? `<a href="https://example.com/${index}"><i>${text}</i></a>` : text;
  });
  const list = words.slice(20, 40).map((word) => `<li>${word}</li>`);
  const cells = words.slice(40).map((word) => `<td>${word}</td>`);
  const rows = [0, 5, 10, 15].map((at) => `<tr>${cells.slice(at, at + 5).join('')}</tr>`);
  return `<meta charset="utf-8"><h1>${escaped(title)}</h1><p>${words.slice(0, 20).join(' ')}</p><ul>${list.join('')}</ul>
    <table border="1">${rows.join('')}</table><p>${escaped(second)}</p>`;
}

function toCsv({ title, first, second }: Words): string {
  const rows = [title, ...(first.match(/\S+(?: \S+){0,5}/g) ?? []), second];
  return rows
    .map((row) =>
      row
        .split(' ')
        .map((cell) => `"${cell}"`)
        .join(','),
    )
    .join('\n');
}

function toSlides({ title, first, second }: Words): string {
  const frame = (lines: readonly string[]) =>
    `<draw:frame svg:width="24cm" svg:height="8cm" svg:x="1cm" svg:y="1cm"><draw:text-box>${lines
      .map((line) => `<text:p>${escaped(line)}</text:p>`)
      .join('')}</draw:text-box></draw:frame>`;
  const slides = [[title, ...(first.match(/\S+(?: \S+){0,9}/g) ?? [])], [second]].map(
    (lines, index) => `<draw:page draw:name="p${index}">${frame(lines)}</draw:page>`,
  );
  const spaces = Object.entries({ office: 'office', draw: 'drawing', text: 'text', svg: 'svg-compatible' })
    .map(([name, space]) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${space}:1.0"`)
    .join(' ');
  return `<office:document ${spaces} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.presentation">
    <office:body><office:presentation>${slides.join('')}</office:presentation></office:body></office:document>`;
}
