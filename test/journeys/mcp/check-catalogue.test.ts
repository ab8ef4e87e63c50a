import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { BARE_ENV } from '../../support/bare-env.ts';
import { startMcpOAuthServer } from '../../support/mcp-oauth-server.ts';
import { startMcpServer } from '../../support/mcp-server.ts';

const run = promisify(execFile);

const entry = (id: string, url: string, auth: string, more: object = {}) => ({
  id,
  name: id,
  url,
  auth,
  own_client: false,
  header: auth === 'token' ? { name: 'Authorization', value: 'Bearer {secret}' } : null,
  page: 'https://example.com/mcp',
  checked_on: '2026-01-01',
  ...more,
});

test('the check of the list asks each server, says what it found, and dates the entries that pass', async () => {
  const [open, signedIn, byHand, keyed] = await Promise.all([
    startMcpServer(),
    startMcpOAuthServer(),
    startMcpOAuthServer(),
    startMcpServer({}, (_request, response) => Boolean(response.writeHead(401).end())),
  ]);
  byHand.state.issuer = { registration_endpoint: undefined };
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-catalogue-'));
  onTestFinished(async () => {
    for (const server of [open, signedIn, byHand, keyed]) server.close();
    await rm(folder, { recursive: true });
  });
  const list = path.join(folder, 'catalogue.json');
  await writeFile(
    list,
    JSON.stringify([
      entry('open', open.url, 'open'),
      entry('signed-in', signedIn.url, 'oauth'),
      entry('by-hand', byHand.url, 'oauth', { own_client: true }),
      entry('keyed', keyed.url, 'token'),
      entry('not-open', signedIn.url, 'open'),
      entry('no-client', byHand.url, 'oauth'),
      entry('gone', 'http://127.0.0.1:9/mcp', 'token'),
    ]),
  );

  const words = ['scripts/check-catalogue.ts', '--write', '--private-network', '--list', list];
  const ended = (await run(process.execPath, words, { env: { ...BARE_ENV } }).catch((failure: unknown) => failure)) as {
    code: number;
    stdout: string;
  };
  expect(ended).toMatchObject({ code: 1, stdout: expect.stringContaining('4 of 7 pass.') });
  const rows = ended.stdout.split('\n').map((line) => [line.split(' ')[0], / (passes|FAILS) *$/.exec(line)?.[1]]);
  expect(Object.fromEntries(rows.filter(([, result]) => result))).toEqual({
    open: 'passes',
    'signed-in': 'passes',
    'by-hand': 'passes',
    keyed: 'passes',
    'not-open': 'FAILS',
    'no-client': 'FAILS',
    gone: 'FAILS',
  });
  expect(signedIn.counts.registered).toBe(1);
  const stored = JSON.parse(await readFile(list, 'utf8')) as { id: string; checked_on: string | null }[];
  const today = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
  expect(stored.map((each) => each.checked_on)).toEqual([today, today, today, today, null, null, null]);
  expect(stored[0]?.checked_on).not.toBe('2026-01-01');
});
