import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { signStandardWebhook, toSigningSecret } from '#domain/webhook/standard-webhooks.ts';
import { findBlocks } from './code-blocks.ts';
import { readPages } from './pages.ts';

type IsGenuine = (headers: Record<string, string>, body: Buffer, secret: string) => boolean;

const SECRET = 'the text that signing-secret prints';
const body = Buffer.from('{"status":"completed"}');

test('the code in docs/build/webhooks.md accepts a genuine signature and refuses all others', async () => {
  const isGenuine = await importFromPage();
  const now = Math.floor(Date.now() / 1000);

  expect(isGenuine(headersAt(now), body, SECRET)).toBe(true);
  expect(isGenuine(headersAt(now), Buffer.from('{"status":"forged"}'), SECRET)).toBe(false);
  expect(isGenuine(headersAt(now), body, 'another text')).toBe(false);
  expect(isGenuine(headersAt(now - 3600), body, SECRET)).toBe(false);
  expect(isGenuine({}, body, SECRET)).toBe(false);
});

async function importFromPage(): Promise<IsGenuine> {
  const page = readPages().find(({ path: name }) => name === 'docs/build/webhooks.md');
  const block = page && findBlocks(page).find(({ language }) => language === 'js');
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-docs-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(path.join(folder, 'is-genuine.mjs'), block?.code ?? '');
  return ((await import(path.join(folder, 'is-genuine.mjs'))) as { isGenuine: IsGenuine }).isGenuine;
}

function headersAt(timestamp: number): Record<string, string> {
  const signed = signStandardWebhook({ id: 'job', timestamp, body, secret: toSigningSecret(SECRET) });
  return { 'webhook-id': 'job', 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,AAAA ${signed}` };
}
