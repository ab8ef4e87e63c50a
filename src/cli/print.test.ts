import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { printJson, printLine, printMarked, printNotice, printTable } from './print.ts';

/** It copies to the clipboard, clears the screen, hides what follows, reverses the order, and is not seen. */
const HOSTILE = 'nice\u001b]52;c;Y3VybA==\u0007\u001b[2J\u009b8m\u202e\u200b\r\u007f';
const SHOWN = String.raw`nice\u001b]52;c;Y3VybA==\u0007\u001b[2J\u009b8m\u202e\u200b\u000d\u007f`;

afterEach(() => vi.restoreAllMocks());

test.each([
  ['a line', () => printLine(HOSTILE), `${SHOWN}\n`],
  [
    'a cell',
    () =>
      printTable([
        ['name', 'id'],
        [HOSTILE, '1\n2'],
      ]),
    `${'name'.padEnd(SHOWN.length)}  id\n${SHOWN}  1 2\n`,
  ],
  [
    'a marked line',
    () => printMarked('\u001b[31mPROBLEM\u001b[39m ', HOSTILE),
    `\u001b[31mPROBLEM\u001b[39m ${SHOWN}\n`,
  ],
  ['a notice', () => printNotice(HOSTILE), `${SHOWN}\n`],
])('%s shows escapes, and does not send them to the terminal', (_, print, expected) => {
  const written: unknown[] = [];
  const take = (text: unknown) => written.push(text) > 0;
  vi.spyOn(process.stdout, 'write').mockImplementation(take);
  vi.spyOn(process.stderr, 'write').mockImplementation(take);
  print();
  expect(written.join('')).toBe(expected);
});

test('JSON says the same, in characters that can be seen', () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  printJson({ name: HOSTILE });
  const text = String(write.mock.calls[0]?.[0]);
  // oxlint-disable-next-line no-control-regex -- these are what it is about
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u200b]/);
  expect(JSON.parse(text)).toEqual({ name: HOSTILE });
});

/** They write texts of ours alone. */
const MAY_WRITE = ['print.ts', 'chat/chat.ts', 'mcp/mcp-serve.ts'];

test('no other file of the commands writes to the terminal', async () => {
  const files = (await readdir(import.meta.dirname, { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !MAY_WRITE.includes(file),
  );
  const texts = await Promise.all(files.map((file) => readFile(path.join(import.meta.dirname, file), 'utf8')));
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((_, index) => /\bconsole\.|process\.std(out|err)\.write/.test(texts[index] ?? ''))).toEqual([]);
});
