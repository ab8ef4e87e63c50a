import { expect, test } from 'vitest';
import { listCommands } from '../../scripts/reference/commands.ts';
import { manualPage } from '../../scripts/reference/manual-page.ts';

/** Requests that the page uses. */
const REQUEST = /^\.(?:TH|SH|SS|nf|fi)\b/;

test('the manual page has a section for every command, and no help text is taken for a request', async () => {
  const lines = (await manualPage('1.2.3')).split('\n');
  expect(lines[0]).toBe('.TH REBORN 1 "" "Reborn 1.2.3" "Reborn"');
  const [, ...commands] = await listCommands();
  expect(lines.filter((line) => line.startsWith('.SS'))).toEqual(commands.map(({ name }) => `.SS "${name}"`));
  expect(lines.filter((line) => /^[.']/.test(line) && !REQUEST.test(line))).toEqual([]);
  expect(lines.filter((line) => /\P{ASCII}/u.test(line))).toEqual([]);
});
