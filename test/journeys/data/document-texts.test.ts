import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync, strToU8 } from 'fflate';
import { expect, test } from 'vitest';
import { createDrawer, createExtractor, type Extracted } from '#documents/extractor.ts';
import { extract as extractHere } from '#documents/inside/extract.ts';
import type { DocumentKind } from '#domain/workspace/document.ts';
import { findWall } from '#tools/component/jail/wall.ts';
import {
  assemblePdf,
  makeDocx,
  makeOdt,
  makePdf,
  makePptx,
  makeScan,
  makeXlsx,
  makeZip,
  type Piece,
  type ScannedPage,
} from '../../support/document-files.ts';
import { decodePng } from '../../tasks/pictures.ts';

const extract = createExtractor({ findWall });
const never = new AbortController().signal;

/** Each page as its label and its text. */
async function pagesOf(kind: DocumentKind, bytes: Uint8Array, isEnclosed = true): Promise<[string, string][]> {
  const read = isEnclosed
    ? await extract(kind, bytes, never)
    : ((await extractHere({ kind }, new Uint8Array(bytes))) as Extracted);
  if ('reason' in read) throw new Error(read.reason);
  return read.pages.map(({ label, blocks }) => [label, blocks.map(({ text }) => text).join('\n\n')]);
}

const reasonOf = async (kind: DocumentKind, bytes: Uint8Array): Promise<string | undefined> => {
  const read = await extract(kind, bytes, never);
  return 'reason' in read ? read.reason : undefined;
};

test('a PDF is read page by page', async () => {
  const pdf = makePdf([['The lease begins', 'on (1 May) 2026.'], [], ['The rent is 900 euros.']]);

  expect(await pagesOf('pdf', pdf)).toEqual([
    ['page 1', 'The lease begins\non (1 May) 2026.'],
    ['page 2', ''],
    ['page 3', 'The rent is 900 euros.'],
  ]);
});

const PIECES: Piece[] = [
  { heading: 'Lease' },
  { text: 'Between Ann & <Bob>.' },
  { heading: 'Rent', level: 2 },
  {
    rows: [
      ['month', 'euros'],
      ['May', '900'],
    ],
  },
];
const READ = 'Lease\n\nBetween Ann & <Bob>.\n\nRent\n\nmonth | euros\nMay | 900';

test.for([
  ['docx', makeDocx(PIECES)],
  ['odt', makeOdt(PIECES)],
  ['markdown', Buffer.from('# Lease\n\nBetween Ann & <Bob>.\n\n## Rent\n\nmonth | euros\nMay | 900\n')],
  [
    'html',
    Buffer.from(
      '<title>x</title><style>p{}</style><h1>Lease</h1><p>Between   Ann &amp; <b>&lt;Bob&gt;</b>.</p><p hidden>no</p><h2>Rent</h2><table><tr><th>month<th>euros<tr><td>May<td>900</table>',
    ),
  ],
] as const)('headings, paragraphs and tables of %s', async ([kind, bytes]) => {
  const read = await extract(kind, bytes, never);

  expect((await pagesOf(kind, bytes)).map(([, text]) => text.replace('euros\n\nMay', 'euros\nMay'))).toEqual([READ]);
  expect('pages' in read && read.pages[0]?.blocks.at(-1)?.heading).toBe('Lease > Rent');
});

test('text that Word hides or has marked as deleted is left out, and notes are read', async () => {
  const run = (text: string, properties = '') => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;
  const more = `<w:p>${run('kept')}${run(' hidden', '<w:vanish/>')}<w:del>${run(' deleted')}</w:del>${run(' shown', '<w:vanish w:val="0"/>')}</w:p>`;

  expect(await pagesOf('docx', makeDocx([], more))).toEqual([['part 1', 'kept shown']]);
});

test('slides in their order, with their notes', async () => {
  const bytes = makePptx([
    { title: 'Plan', lines: ['first', 'second'], notes: 'say hello' },
    { title: 'Costs', lines: ['third'] },
  ]);

  expect(await pagesOf('pptx', bytes)).toEqual([
    ['slide 1', 'Plan\nfirst\nsecond\n\nsay hello'],
    ['slide 2', 'Costs\nthird'],
  ]);
});

test('sheets are pages of a hundred rows, and dates are dates', async () => {
  const rows = Array.from({ length: 150 }, (_, index) => [`row ${index + 1}`, '', index]);
  const pages = await pagesOf(
    'xlsx',
    makeXlsx({
      'Costs & more': [
        ['what', 'when'],
        ['rent', { date: 46_150.5 }],
        ['oil', { date: 46_151 }],
      ],
      Many: rows,
    }),
  );

  expect(pages.map(([label]) => label)).toEqual([
    'Costs & more, rows 1 to 3',
    'Many, rows 1 to 100',
    'Many, rows 101 to 150',
  ]);
  expect(pages[0]?.[1]).toBe('what\twhen\nrent\t2026-05-08 12:00:00\noil\t2026-05-09');
  expect(pages[2]?.[1]).toMatch(/^row 101\t\t100\nrow 102\t\t101\n/);
});

test('a mail has its header, its text, and the names of what is attached', async () => {
  const mail = [
    'From: Ann <ann@example.com>',
    'To: bob@example.com',
    'Subject: =?utf-8?q?The_l=C3=A9ase?=',
    'Content-Type: multipart/mixed; boundary=x',
    '',
    '--x\r\nContent-Type: text/html\r\n\r\n<p>Hello <b>Bob</b></p>',
    '--x\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=lease.pdf\r\n\r\nabc',
    '--x--',
  ].join('\r\n');

  expect(await pagesOf('eml', Buffer.from(mail))).toEqual([
    ['part 1', 'From: Ann <ann@example.com>\nTo: <bob@example.com>\nSubject: The léase\nAttachments: lease.pdf'],
    ['part 2', 'Hello Bob'],
  ]);
});

test('texts in older encodings are read', async () => {
  expect(await pagesOf('text', Buffer.from('Größe\r\n\r\nzwei', 'latin1'))).toEqual([['part 1', 'Größe\n\nzwei']]);
  expect(await pagesOf('csv', Buffer.from('\uFEFFa;b\n1;2', 'utf16le'))).toEqual([['rows 1 to 2', 'a;b\n1;2']]);
  expect(await reasonOf('text', Buffer.from([1, 0, 2, 0]))).toBe('It is not a text.');
});

/** A process costs more than what it reads. Two documents of each kind have one, and the others use the same readers. */
const ENCLOSED = 20;

test('200 documents of all kinds have the text that went in', async () => {
  const words = (seed: number, count: number) =>
    Array.from({ length: count }, (_, index) => `w${(seed * 7919 + index * 104_729) % 99_991}`).join(' ');
  const make = (seed: number): [DocumentKind, Buffer, string] => {
    const [a, b, c] = [words(seed, 12), words(seed + 1, 30), words(seed + 2, 9)];
    const pieces = [{ heading: a }, { text: b }, { text: c }];
    const flat = `${a} ${b} ${c}`;
    const all: [DocumentKind, Buffer][] = [
      ['pdf', makePdf([[a, ...linesOf(b)], [c]])],
      ['docx', makeDocx(pieces)],
      ['odt', makeOdt(pieces)],
      [
        'pptx',
        makePptx([
          { title: a, lines: [b] },
          { title: c, lines: [] },
        ]),
      ],
      ['xlsx', makeXlsx({ one: [[a, b]], two: [[c]] })],
      ['html', Buffer.from(`<h1>${a}</h1><p>${b}<p>${c}`)],
      ['markdown', Buffer.from(`# ${a}\n\n${b}\n\n${c}`)],
      ['text', Buffer.from(`${a}\n${b}\n\n${c}`)],
      ['csv', Buffer.from(`${a}\n${b}\n${c}\n`)],
      ['json', Buffer.from(`${a}\n${b}\n${c}`)],
    ];
    const [kind, bytes] = all[seed % all.length] as [DocumentKind, Buffer];
    return [kind, bytes, flat];
  };
  const seeds = Array.from({ length: 200 }, (_, index) => index);
  const check = async (seed: number) => {
    const [kind, bytes, flat] = make(seed);
    const text = (await pagesOf(kind, bytes, seed < ENCLOSED)).map(([, page]) => page).join(' ');
    expect({ kind, text: text.replaceAll(/\s+/g, ' ') }).toEqual({ kind, text: flat });
  };
  for (let at = 0; at < seeds.length; at += 4) await Promise.all(seeds.slice(at, at + 4).map(check));
});

/** What does not fit on the page is not read. */
const linesOf = (text: string): string[] => text.match(/\S+(?: \S+){0,9}/g) ?? [];

const bomb = () => {
  const line = 'lol '.repeat(1_000_000);
  return makeZip({
    'word/document.xml': `<w:document><w:p><w:r><w:t>${line.repeat(5)}</w:t></w:r></w:p></w:document>`,
  });
};

test.for([
  ['a ZIP bomb', 'docx', bomb, /ZIP bomb/],
  ['a ZIP in a ZIP', 'docx', () => makeZip({ 'word/document.zip': bomb() }), /not a Word document/],
  [
    'too many parts',
    'xlsx',
    () => makeZip(Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`xl/${n}`, '']))),
    /1000 parts/,
  ],
  [
    'XML entities',
    'docx',
    () =>
      makeZip({
        'word/document.xml':
          '<!DOCTYPE x [<!ENTITY a "b"><!ENTITY f SYSTEM "file:///etc/passwd">]><w:p><w:r><w:t>&f;</w:t></w:r></w:p>',
      }),
    /XML entities/,
  ],
  ['deep elements', 'odt', () => makeZip({ 'content.xml': '<a>'.repeat(100_000) }), /nested too deeply/],
  ['a gzip', 'xlsx', () => Buffer.from(gzipSync(strToU8('x'))), /not a complete file/],
  ['half a PDF', 'pdf', () => Buffer.from('%PDF-1.7\nhalf'), /not a complete PDF/],
  [
    'one long text in all cells',
    'xlsx',
    () =>
      makeZip({
        'xl/workbook.xml': '<workbook><sheets><sheet name="a" r:id="r"/></sheets></workbook>',
        'xl/_rels/workbook.xml.rels':
          '<Relationships><Relationship Id="r" Type="x/worksheet" Target="worksheets/a.xml"/></Relationships>',
        'xl/sharedStrings.xml': `<sst><si><t>${Array.from({ length: 20_000 }, (_, n) => `${n * 7919} `).join('')}</t></si></sst>`,
        'xl/worksheets/a.xml': `<worksheet><sheetData><row>${Array.from({ length: 10_000 }, (_, n) => `<c r="${n % 2 ? 'A' : 'B'}${n}" t="s"><v>0</v></c>`).join('')}</row></sheetData></worksheet>`,
      }),
    /million characters/,
  ],
] as const)('%s fails with a reason', { timeout: 90_000 }, async ([, kind, make, reason]) => {
  expect(await reasonOf(kind, make())).toMatch(reason);
});

test('a PDF of a million objects ends within its time', { timeout: 90_000 }, async () => {
  const kids = Array.from({ length: 1_000_000 }, (_, index) => `${index + 3} 0 R`).join(' ');
  const pages = Array.from({ length: 1_000_000 }, () => '<< /Type /Page /Parent 2 0 R >>');
  const pdf = assemblePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count 1000000 /Kids [${kids}] >>`,
    ...pages,
  ]);
  const started = performance.now();

  expect(await reasonOf('pdf', pdf)).toMatch(/2000 pages|60 seconds|memory|complete/);
  expect(performance.now() - started).toBeLessThan(62_000);
});

test('a sheet that claims a billion cells is as large as what is in it', async () => {
  const sheet = (rows: string) => ({
    'xl/workbook.xml': '<workbook><sheets><sheet name="a" r:id="r"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="r" Type="x/worksheet" Target="worksheets/a.xml"/></Relationships>',
    'xl/worksheets/a.xml': `<worksheet><dimension ref="A1:XFD1048576"/><sheetData>${rows}</sheetData></worksheet>`,
  });
  const rows =
    '<row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>2</v></c></row><row r="1048576"><c r="XFD1048576"><v>3</v></c></row>';

  expect(await pagesOf('xlsx', makeZip(sheet(rows)))).toEqual([
    ['a, rows 1 to 1', `1${'\t'.repeat(20)}2`],
    ['a, rows 1048576 to 1048576', '3'],
  ]);
});

/** Black at the top left of the page, of 60 by 80 points. */
const SCAN = Buffer.from(Array.from({ length: 60 * 80 }, (_, at) => (at % 60 < 20 && at < 60 * 30 ? 0 : 255)));
const TURNED = Buffer.from(
  Array.from({ length: 60 * 80 }, (_, at) => SCAN[(79 - (at % 80)) * 60 + Math.floor(at / 80)] ?? 0),
);

const draw = createDrawer({ findWall });

/** The sides of the picture of the first page, and how light its four corners are. */
async function drawn(page: ScannedPage) {
  const made = await draw(makeScan([page]), [1], never);
  if ('reason' in made) throw new Error(made.reason);
  const [picture] = made.pictures;
  if (!picture) return undefined;
  const { width, height, at } = decodePng(Buffer.from(picture.png, 'base64'));
  const corners = [at(1, 1), at(width - 2, 1), at(1, height - 2), at(width - 2, height - 2)];
  return { size: [width, height], corners: corners.map(([red]) => red) };
}

const AS_SCANNED = { size: [60, 80], corners: [0, 255, 255, 255] };

test.for<[string, ScannedPage, object]>([
  ['a whole picture', { pictures: [{ width: 60, points: SCAN }] }, AS_SCANNED],
  [
    'strips',
    {
      pictures: [SCAN.subarray(0, 60 * 40), SCAN.subarray(60 * 40)].map((points) => ({ width: 60, points })),
      content: 'q 600 0 0 400 0 400 cm /P0 Do Q q 600 0 0 400 0 0 cm /P1 Do Q',
    },
    { ...AS_SCANNED, size: [45, 60] },
  ],
  [
    'a picture that lies on its side, on a page that is turned',
    { pictures: [{ width: 80, points: TURNED }], turned: 270 },
    { ...AS_SCANNED, size: [80, 60] },
  ],
  [
    'a stencil over a picture',
    {
      pictures: [
        { width: 60, points: Buffer.alloc(60 * 80, 200) },
        { width: 1, points: Buffer.of(0, 255), entries: '/ImageMask true /BitsPerComponent 1' },
      ],
      content: 'q 600 0 0 800 0 0 cm /P0 Do /P1 Do Q',
    },
    { ...AS_SCANNED, corners: [0, 0, 200, 200] },
  ],
])('a page without text is drawn: %s', async ([, page, picture]) => {
  expect(await drawn(page)).toEqual(picture);
});

test('a page whose picture can’t be decoded, or is very large, is not drawn', async () => {
  const entries = '/ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /CCITTFaxDecode';
  expect(await drawn({ pictures: [{ width: 60, points: SCAN, entries }] })).toBeUndefined();
  expect(await drawn({ pictures: [] })).toBeUndefined();
  const large = { width: 1, points: Buffer.of(0), entries: '/ColorSpace /DeviceGray /BitsPerComponent 1' };
  const size = '/Width 100000 /Height 100000';
  expect(await drawn({ pictures: [{ ...large, entries: `${large.entries} ${size}` }] })).toBeUndefined();
});

test('drawing a page ends within its time', async () => {
  const impatient = createDrawer({ findWall, timeoutMs: 3000 });
  const content = 'q 600 0 0 800 0 0 cm /P0 Do Q\n'.repeat(100_000);
  const reason = 'Reading it took longer than 3 seconds.';
  expect(await impatient(makeScan([{ pictures: [{ width: 60, points: SCAN }], content }]), [1], never)).toEqual({
    reason,
  });
});

test('links to other places are not followed', async () => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`;
  const parts = (document: string) =>
    makeZip({
      'word/document.xml': document,
      'word/_rels/document.xml.rels': `<Relationships><Relationship Id="r" Type="x/image" Target="${url}" TargetMode="External"/></Relationships>`,
    });
  await pagesOf('docx', parts(`<w:p><a:blip r:link="r"/><w:r><w:t>text</w:t></w:r></w:p>`));
  await pagesOf(
    'html',
    Buffer.from(`<link rel=stylesheet href=${url}><img src=${url}><iframe src=${url}></iframe>text`),
  );
  await pagesOf('pdf', makePdf([[url]]));
  server.close();

  expect(requests).toEqual([]);
});

test('a reader that takes too long is ended', async () => {
  const impatient = createExtractor({ findWall, timeoutMs: 1 });

  expect(await impatient('text', Buffer.from('x'), never)).toEqual({
    reason: 'Reading it took longer than 0 seconds.',
  });
});
