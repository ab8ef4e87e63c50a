import { inflateSync } from 'node:zlib';
import { expect } from 'vitest';
import { makePdf } from '../support/document-files.ts';
import { documentOf, paragraphsOf } from './office-files.ts';
import { file, present, python, shell, type Task } from './task.ts';

const CONTRACT = ['Lease', 'The rent is 900 EUR.', 'The notice is 3 months.', 'Pets are allowed.'];
const NEWER = ['Lease', 'The rent is 950 EUR.', 'The notice is 3 months.', 'Smoking is not allowed.'];

/** It has a mistake, which its test finds. */
const ROMAN = `SIGNS = [(1000, "M"), (900, "CM"), (500, "D"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]


def roman(number):
    text = ""
    for value, sign in SIGNS:
        count, number = divmod(number, value)
        text += sign * count
    return text
`;

const ROMAN_TEST = `import unittest
from roman import roman


class Roman(unittest.TestCase):
    def test_years(self):
        for number, text in ((1, "I"), (1999, "MCMXCIX"), (2026, "MMXXVI"), (444, "CDXLIV")):
            self.assertEqual(roman(number), text)
`;

const HANDBOOK = Array.from({ length: 300 }, (_, index) => [
  `Page ${index + 1}`,
  ...Array.from({ length: 30 }, () => 'Keep the ropes dry.'),
  ...(index === 216 ? ['If the boat has capsized, stay with it.'] : []),
]);

export const TEXT_TASKS: readonly Task[] = [
  {
    title: 'fill in a docx template',
    files: { 'letter.docx': documentOf(['Dear {name},', 'you owe us {sum} EUR.', 'Yours, Boats & Co']) },
    calls: [
      [
        python(`
import docx
letter = docx.Document('letter.docx')
for paragraph in letter.paragraphs:
    for run in paragraph.runs:
        run.text = run.text.replace('{name}', 'Zoë').replace('{sum}', '42.50')
letter.save('letter to Zoë.docx')`),
        present('letter to Zoë.docx'),
      ],
    ],
    async check({ presented }) {
      const [letter = Buffer.of()] = (await presented()).values();
      expect(paragraphsOf(letter)).toEqual(['Dear Zoë,', 'you owe us 42.50 EUR.', 'Yours, Boats & Co']);
    },
  },
  {
    title: 'change a docx contract, and list the changes',
    files: { 'lease.docx': documentOf(CONTRACT) },
    calls: [
      [
        python(`
import docx
lease = docx.Document('lease.docx')
changes = []
for paragraph in lease.paragraphs:
    old = paragraph.text
    new = old.replace('900', '950').replace('3 months', '6 months')
    if new != old:
        paragraph.runs[0].text = new
        changes.append((old, new))
lease.add_paragraph('Changes')
table = lease.add_table(rows=0, cols=2)
for old, new in changes:
    for cell, text in zip(table.add_row().cells, (old, new)): cell.text = text
lease.save('lease-2.docx')`),
        present('lease-2.docx'),
      ],
    ],
    async check({ presented }) {
      expect(paragraphsOf((await presented()).get('lease-2.docx') ?? Buffer.of())).toEqual([
        'Lease',
        'The rent is 950 EUR.',
        'The notice is 6 months.',
        'Pets are allowed.',
        'Changes',
        'The rent is 900 EUR.',
        'The rent is 950 EUR.',
        'The notice is 3 months.',
        'The notice is 6 months.',
      ]);
    },
  },
  {
    title: 'compare two contracts',
    files: { 'old.docx': documentOf(CONTRACT), 'new.docx': documentOf(NEWER) },
    calls: [
      [
        python(`
import difflib, docx
old, new = ([p.text for p in docx.Document(name).paragraphs] for name in ('old.docx', 'new.docx'))
lines = [line for line in difflib.ndiff(old, new) if line[0] in '+-']
open('changes.md', 'w').write('\\n'.join(lines) + '\\n')`),
        file('read', { path: 'changes.md' }),
      ],
    ],
    async check({ read, outputs }) {
      expect((await read('changes.md')).toString().trim().split('\n').toSorted()).toEqual([
        '+ Smoking is not allowed.',
        '+ The rent is 950 EUR.',
        '- Pets are allowed.',
        '- The rent is 900 EUR.',
      ]);
      expect((await outputs())[1]).toContain('+ The rent is 950 EUR.');
    },
  },
  {
    title: 'a Markdown report as PDF',
    files: { 'report.md': '# Boats in May\n\nWe sold 12 boats.\n\n# Outlook\n\nJune looks good.\n' },
    calls: [
      [
        python(`
import re
import matplotlib.pyplot as plt
from matplotlib.backends.backend_pdf import PdfPages
chapters = re.split(r'(?m)^# ', open('report.md').read())[1:]
with PdfPages('report.pdf') as pdf:
    for chapter in chapters:
        title, _, body = chapter.partition('\\n')
        page = plt.figure(figsize=(8.3, 11.7))
        page.text(0.1, 0.9, title, size=20)
        page.text(0.1, 0.85, body.strip(), va='top')
        pdf.savefig(page); plt.close(page)
len(chapters)`),
        present('report.pdf'),
      ],
    ],
    async check({ presented }) {
      const pages = pagesOfPdf((await presented()).get('report.pdf') ?? Buffer.of());
      expect(pages).toEqual(['Boats in May We sold 12 boats.', 'Outlook June looks good.']);
    },
  },
  {
    title: 'a question about 300 pages of a PDF, answered with the page',
    files: { 'handbook.pdf': makePdf(HANDBOOK) },
    calls: [
      [
        { name: 'reborn_document_search', given: { query: 'What to do when the boat has capsized' } },
        { name: 'reborn_document_read', given: { file: 'handbook.pdf', pages: '217' } },
      ],
    ],
    async check({ outputs }) {
      const [found, page] = await outputs();
      expect(found).toContain('## handbook.pdf, p. 217');
      expect(page).toContain('If the boat has capsized, stay with it.');
    },
  },
  {
    title: 'write and test a small program',
    files: {},
    calls: [
      [
        file('write', { path: 'roman.py', text: ROMAN }),
        file('write', { path: 'test_roman.py', text: ROMAN_TEST }),
        shell('python3 -B -m unittest -q 2>&1 | grep -E "^(OK|FAILED|AssertionError)"'),
      ],
      [
        file('edit', { path: 'roman.py', old: '(500, "D")', new: '(500, "D"), (400, "CD")' }),
        shell('python3 -B -m unittest -q 2>&1 | grep -E "^(OK|FAILED|AssertionError)"'),
      ],
    ],
    async check({ outputs, list }) {
      const all = await outputs();
      expect(all[2]).toContain('FAILED (failures=1)');
      expect(all[4]).toBe('OK');
      expect(await list()).toEqual(['roman.py', 'test_roman.py']);
    },
  },
];

/** The text of each page as matplotlib writes it: strings in compressed streams. */
function pagesOfPdf(pdf: Buffer): string[] {
  if (!pdf.toString('latin1').startsWith('%PDF-')) throw new Error('This is not a PDF.');
  const streams = pdf.toString('latin1').matchAll(/\/Length (\d+) 0 R[^>]*>>\s*stream\r?\n/g);
  return [...streams].flatMap(({ index, 0: head }) => {
    const text = textOfStream(pdf.subarray(index + head.length));
    return text === '' ? [] : [text];
  });
}

function textOfStream(bytes: Buffer): string {
  let content: string;
  try {
    content = inflateSync(bytes).toString('latin1');
  } catch {
    return ''; // not compressed: no page
  }
  const shown = content.matchAll(/\[?((?:\s*(?:\((?:\\.|[^\\)])*\)|-?[\d.]+))+)\s*\]?\s*T[jJ]/g);
  return [...shown]
    .map(([, parts = '']) => [...parts.matchAll(/\(((?:\\.|[^\\)])*)\)/g)].map(([, text]) => text).join(''))
    .join(' ')
    .trim();
}
