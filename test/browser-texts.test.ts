import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { errorEnvelope } from '#http/routes/error-envelope.ts';
import { findHardCoded } from './browser-texts.ts';

const run = promisify(execFile);
const LANGUAGES = ['de', 'nb'];

describe('a text that does not go through the catalogues is found', () => {
  const find = (code: string) => findHardCoded('a.tsx', code).map((line) => line.replace(/^a\.tsx:\d+: /, ''));

  test.each([
    ['between tags', 'const A = () => <p>Hello</p>;', ['Hello']],
    ['beside a value', 'const A = () => <p>{count} files</p>;', ['files']],
    ['in an attribute', 'const A = () => <input aria-label="Name" />;', ['Name']],
    ['in one of two values of an attribute', "const A = () => <p title={open ? 'Hide' : t`Show`} />;", ['Hide']],
    ['in a template', 'const A = () => <p title={`Remove ${name}`} />;', ['Remove ${name}']],
    ['in an entry of a menu', "const a = () => [{ words: 'Light', icon: 'sun' }];", ['Light']],
    ['in the title of a page', "const a = () => useTitle('Settings');", ['Settings']],
    ['in what a function returns', "const a = () => 'The archive is empty.';", ['The archive is empty.']],
    ['in the name of a figure', 'const A = () => <Figure name="Cost" value={1} />;', ['Cost']],
    ['translated too early', 'const A = t`Light`;', ['translated before the language is known: t`Light`']],
  ])('%s', (_place, code, found) => {
    expect(find(code)).toEqual(found);
  });

  test.each([
    'const A = () => <p><Trans>Hello <b>you</b></Trans></p>;',
    'const a = () => t`Hello ${name}`;',
    "const a = () => plural(count, { one: '# file', other: '# files' });",
    'const A = () => <h1>Reborn</h1>;',
    'const A = () => <div className="flex items-center" role="status" name="token" />;',
    "const a = () => { throw new Error('A row is shown outside of a thread.'); };",
    "const A = () => <p title={kind === 'image' ? t`Image` : t`File`} />;",
  ])('and %s is fine', (code) => {
    expect(find(code)).toEqual([]);
  });
});

test('every text of the browser app goes through the catalogues', () => {
  const files = globSync('web/src/**/*.{ts,tsx}').filter((file) => !/\.test\.ts$|\.d\.ts$/.test(file));
  expect(files.length).toBeGreaterThan(150);
  expect(files.flatMap((file) => findHardCoded(file, readFileSync(file, 'utf8')))).toEqual([]);
});

type Message = { readonly id: string; readonly text: string };

function readCatalogue(language: string): Message[] {
  const blocks = readFileSync(`web/locales/${language}.po`, 'utf8').split('\n\n').slice(1);
  const field = (block: string, name: string) =>
    JSON.parse(new RegExp(`^${name} (".*")$`, 'm').exec(block)?.[1] ?? '""');
  return blocks.map((block) => ({
    id: [field(block, 'msgctxt'), field(block, 'msgid')].filter(Boolean).join(': '),
    text: field(block, 'msgstr'),
  }));
}

/** What a message is filled with, and the elements in it. */
const holesIn = (text: string) => [...new Set(text.match(/\{\w+(?=[,}])|<\/?\d+\/?>/g))].toSorted();

describe.each(LANGUAGES)('the catalogue %s', (language) => {
  const english = readCatalogue('en');
  const translated = readCatalogue(language);

  test('has every message of the app, and no other', () => {
    expect(translated.map(({ id }) => id)).toEqual(english.map(({ id }) => id));
    expect(translated.filter(({ text }) => text === '')).toEqual([]);
  });

  test('has the same values and elements in each message', () => {
    const differing = translated.filter(({ id, text }) => holesIn(id).join() !== holesIn(text).join());
    expect(differing).toEqual([]);
  });
});

test('people are addressed as “du” in German', () => {
  expect(readCatalogue('de').filter(({ text }) => /\p{L}en Sie\b|\bIhnen\b/u.test(text))).toEqual([]);
});

test('the catalogues match the code: `npm run messages` changes nothing', { tags: ['slow'] }, async () => {
  const check = run(process.execPath, [
    'node_modules/.bin/lingui',
    'check',
    'sync',
    '--clean',
    '--verbose',
    '--workers',
    '1',
    '--config',
    'web/lingui.config.ts',
  ]);
  await expect(check).resolves.toMatchObject({ stdout: expect.stringContaining('PASS') });
});

test('the browser has a sentence for every code of a refused request', () => {
  const code = readFileSync('web/src/parts/error-words.ts', 'utf8');
  const codesIn = (name: string) => {
    const [, body = ''] = new RegExp(`const ${name} = [^]*?\\({\\n([^]*?)\\n}\\)`).exec(code) ?? [];
    return new Set([...body.matchAll(/^ {2}(\w+): t`/gm)].map(([, each]) => each));
  };

  const codes = errorEnvelope.shape.error.options.flatMap((kind) => kind.shape.code.options as readonly string[]);
  expect(codes.length).toBeGreaterThan(15);
  expect(codes.filter((each) => !codesIn('errorSentences').has(each))).toEqual([]);
});
