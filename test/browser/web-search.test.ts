import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLooks } from './check-page.ts';
import { openChromium } from './open-chromium.ts';
import { startStage } from './stage.ts';

const searxng = createServer(({ url = '' }, response) => {
  const isJson = url.startsWith('/json/');
  const results = ['one', 'two', 'three', 'four'].map((title) => ({ url: `https://${title}.example/`, title }));
  response.writeHead(isJson ? 200 : 403, { 'content-type': isJson ? 'application/json' : 'text/html' });
  response.end(isJson ? JSON.stringify({ results, unresponsive_engines: [] }) : '<html>forbidden</html>');
});
let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;

beforeAll(async () => {
  searxng.listen(0, '127.0.0.1');
  await once(searxng, 'listening');
  [stage, browser] = await Promise.all([startStage(), openChromium()]);
});

afterAll(async () => {
  searxng.close();
  await browser.close();
  await stage.close();
});

test('the operator sets a search engine up, and its test shows three hits or the reason', async () => {
  const page = await browser.signIn(stage.url, { path: '/connectors/tools' });
  const search = page.getByRole('region', { name: 'Web search' });
  await search.getByText('The agent has no search yet.').waitFor();
  await search.getByRole('button', { name: 'Set up' }).click();
  const server = `http://127.0.0.1:${(searxng.address() as AddressInfo).port}`;
  await search.getByLabel('Address').fill(server);
  await checkLooks(page, 'search-form');
  await search.getByRole('button', { name: 'Save' }).click();
  await search.getByText('the server does not offer JSON').waitFor();

  await search.getByRole('button', { name: 'Change' }).click();
  await search.getByLabel('Address').fill(`${server}/json`);
  await search.getByRole('button', { name: 'Save' }).click();
  await search.getByText('https://three.example/').waitFor();
  expect(await search.getByRole('listitem').count()).toBe(3);
  await page.getByRole('button', { name: /^reborn_web_search/ }).waitFor();
  await checkLooks(page, 'search');

  await search.getByRole('button', { name: 'Remove' }).click();
  await search.getByText('The agent has no search yet.').waitFor();
  await page.close();
});
