import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startStandIn } from '../support/stand-in.ts';
import { openChromium } from './open-chromium.ts';
import { DRAWN_ANSWER } from './seed-examples.ts';
import { said, seedThread } from './seed-thread.ts';
import { startStage } from './stage.ts';

const SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let host: Awaited<ReturnType<typeof startStandIn>>;
let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;

beforeAll(async () => {
  host = await startStandIn(() => ({ headers: { 'content-type': 'image/gif' }, text: 'GIF89a' }));
  [stage, browser] = await Promise.all([startStage({}, { network: host.network }), openChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stage.close();
  await host.close();
});

async function openAnswer(text: string) {
  const threadId = await seedThread(stage.home, {
    title: 'Shown',
    turns: [{ asked: 'show', made: [{ body: said(text) }] }],
  });
  await browser.enter(stage.url);
  const page = await browser.open();
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(request.url()));
  await page.goto(`${stage.url}/threads/${threadId}`);
  const answer = page.getByRole('article');
  await answer.locator('.prose').waitFor();
  return { page, answer, fetched };
}

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

test('formulas, diagrams and footnotes are shown under the policy of the page', async () => {
  const { page, answer, fetched } = await openAnswer(DRAWN_ANSWER);
  await answer.locator('.katex-display .sqrt').waitFor();
  expect(await answer.locator('.katex').count()).toBe(4);
  const font = await answer
    .locator('.katex .mathnormal')
    .first()
    .evaluate((element) => getComputedStyle(element).fontFamily);
  expect(font).toContain('KaTeX_Math');
  const diagram = answer.getByRole('img', { name: 'Diagram' });
  await diagram.waitFor();
  const size = await diagram.evaluate((image) => {
    const { naturalWidth, naturalHeight } = image as HTMLImageElement;
    return { naturalWidth, naturalHeight };
  });
  expect(size.naturalWidth).toBeGreaterThan(size.naturalHeight);
  expect(size.naturalHeight).toBeGreaterThan(20);

  await answer.getByRole('button', { name: 'Show the source' }).click();
  await answer.getByText('flowchart LR').waitFor();
  await answer.getByRole('button', { name: 'Show the diagram' }).click();
  await diagram.waitFor();

  await answer.getByRole('link', { name: 'Footnote 1' }).click();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('With');
  expect(new URL(page.url()).hash).toBe('');
  await answer.getByRole('link', { name: /back to reference/i }).click();
  expect(page.problems).toEqual([]);
  expect(fetched.filter((address) => !/^(?:https?:\/\/127|blob:|data:)/.test(address))).toEqual([]);
  await page.close();
});

test('an answer without formulas and diagrams loads nothing for them', async () => {
  const { page, answer, fetched } = await openAnswer('It costs $5 to $10.\n\n```ts\nconst a = `$x$`;\n```');
  await answer.getByText('It costs $5 to $10.').waitFor();
  await answer.locator('[data-streamdown="code-block"] span[style]').first().waitFor({ state: 'attached' });
  expect(fetched.filter((address) => /math|katex|frames|diagram/i.test(address))).toEqual([]);
  await page.close();
});

test('fonts come from the service alone, and a page loads only those that it uses', async () => {
  const { page, fetched } = await openAnswer('Plain words.');
  await page.evaluate(async () => void (await document.fonts.ready));
  expect(fetched.filter((address) => /\.(?:woff2?|ttf|otf)\b/.test(address))).toEqual([
    expect.stringMatching(`^${stage.url}/assets/inter-latin-wght-normal-`),
  ]);
  await page.close();

  const other = await openAnswer('*Slanted* words, Ελληνικά, and `a -> b`.');
  await other.answer.locator('code').waitFor();
  await other.page.evaluate(async () => void (await document.fonts.ready));
  const names = other.fetched.filter((address) => address.endsWith('.woff2'));
  expect(names.every((address) => address.startsWith(`${stage.url}/assets/`))).toBe(true);
  for (const part of ['inter-latin-wght-italic', 'inter-greek-wght-normal', 'jetbrains-mono-latin-wght-normal'])
    expect(names.join()).toContain(part);
  expect(names.join()).not.toContain('cyrillic');
  const look = await other.answer.locator('code').evaluate((code) => {
    const { fontFamily, fontVariantLigatures, fontFeatureSettings } = getComputedStyle(code);
    return { fontFamily, fontVariantLigatures, fontFeatureSettings };
  });
  expect(look).toEqual({
    fontFamily: expect.stringMatching(/^"JetBrains Mono Variable"/),
    fontVariantLigatures: 'none', // or `->` would show as an arrow
    fontFeatureSettings: '"calt" 0',
  });
  expect(other.page.problems).toEqual([]);
  await other.page.close();
});

test('a formula or a diagram that makes no sense shows its source, and a hostile one changes nothing', async () => {
  const { page, answer } = await openAnswer(
    [
      '$$\\frac{1$$ and $\\href{javascript:alert(1)}{x}$ and $\\rule{5000em}{5000em}$',
      '$\\def\\a{\\a\\a}\\a$ and $\\includegraphics{https://attacker.example/x.png}$',
      '```mermaid\nnonsense here\n```',
      '```mermaid\nflowchart LR\n  a["<img src=x onerror=alert(1)>"] --> b\n  click a href "javascript:alert(1)"\n```',
      'the end',
    ].join('\n\n'),
  );
  await answer.getByText("The diagram can't be drawn.").waitFor();
  await answer.getByText('nonsense here', { exact: true }).waitFor();
  await answer.getByRole('img', { name: 'Diagram' }).waitFor();
  await answer.locator('.katex').first().waitFor();
  const found = await answer.evaluate((element) => ({
    links: element.querySelectorAll('a').length,
    pictures: [...element.querySelectorAll('img')].filter(({ src }) => !src.startsWith('data:')).length,
    height: element.getBoundingClientRect().height,
  }));
  expect(found).toMatchObject({ links: 0, pictures: 0 });
  expect(found.height).toBeLessThan(3000);
  // The library sanitises the label in its frame, whose policy reports the handler that it removes.
  expect(page.problems.filter((problem) => !problem.startsWith('Executing inline event handler'))).toEqual([]);
  await page.close();
});

test('a table is copied as Markdown and as CSV', async () => {
  const { page, answer } = await openAnswer('| name | sum |\n| --- | --- |\n| a, b | =1+1 |\n| "c" | -2 |');
  await answer.getByRole('button', { name: 'Copy as CSV' }).click();
  await expect.poll(() => clipboard(page)).toBe('name,sum\r\n"a, b",\'=1+1\r\n"""c""",-2');
  await answer.getByRole('button', { name: 'Copy as Markdown' }).click();
  await expect.poll(() => clipboard(page)).toMatch(/^\| name \| sum \|\n\| -+ \| -+ \|\n\| a, b \| =1\+1 \|/);
  await page.close();
});

test('code is wrapped, copied and downloaded', async () => {
  const code = `print("${'long '.repeat(100)}")`;
  const { page, answer } = await openAnswer(`\`\`\`python\n${code}\n\`\`\``);
  const box = answer.locator('[data-streamdown="code-block"]');
  const overflow = () => box.evaluate((element) => element.scrollWidth - element.clientWidth);
  await expect.poll(overflow).toBeGreaterThan(100);
  await answer.getByRole('button', { name: 'Wrap lines' }).click();
  await expect.poll(overflow).toBeLessThan(2);
  await answer.getByRole('button', { name: 'Copy' }).first().click();
  await expect.poll(async () => (await clipboard(page)).trim()).toBe(code);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    answer.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('code.py');
  await page.close();
});

test('an image of another host is loaded on request only, by the service', async () => {
  const { page, answer, fetched } = await openAnswer(
    `![a dot](data:image/png;base64,${PIXEL}) ![bad](data:image/svg+xml;base64,${btoa(SQUARE)})\n\n![a throw](https://pictures.example/throw.gif?said=secret)`,
  );
  await answer.getByRole('img', { name: 'a dot' }).waitFor();
  await answer.getByText('https://pictures.example/throw.gif?said=secret').waitFor();
  expect(await answer.getByRole('img').count()).toBe(1);
  expect(host.asked).toEqual([]);

  await answer.getByRole('button', { name: 'Load image' }).click();
  await answer.getByRole('img', { name: 'a throw' }).waitFor({ state: 'attached' });
  expect(host.asked.map(({ url }) => url.href)).toEqual(['https://pictures.example/throw.gif?said=secret']);
  expect(host.asked[0]?.headers).not.toHaveProperty('cookie');
  expect(fetched.filter((address) => !/^(?:https?:\/\/127|blob:|data:)/.test(address))).toEqual([]);
  expect(page.problems).toEqual([]);
  await page.close();
});

/** Every way out that a page has, reported to the frame's own text. */
const HOSTILE = (tcp: number, udp: number) => `<!doctype html>
<link rel="preconnect" href="http://127.0.0.1:${tcp}"><meta http-equiv="refresh" content="0; url=http://127.0.0.1:${tcp}/meta">
<img src="http://127.0.0.1:${tcp}/image"><a id="leave" href="http://127.0.0.1:${tcp}/link" target="_top">leave</a>
<p style="color: rgb(1, 2, 3)">shown</p><output></output>
<script>
  const found = [];
  const attempt = async (name, work) => {
    try { await work(); found.push(name + ' reached'); } catch (error) { found.push(name + ' refused'); }
    document.querySelector('output').textContent = found.join(', ');
  };
  (async () => {
    await attempt('app', () => parent.document.title);
    await attempt('storage', () => localStorage.length);
    await attempt('cookie', () => document.cookie);
    await attempt('fetch', () => fetch('http://127.0.0.1:${tcp}/fetch', { mode: 'no-cors' }));
    await attempt('api', () => fetch('/api/threads'));
    await attempt('top', () => { top.location.href = 'http://127.0.0.1:${tcp}/top'; });
    await attempt('popup', () => { if (!window.open('http://127.0.0.1:${tcp}/popup')) throw new Error(); });
    await attempt('worker', () => new Promise((resolve, reject) => {
      Object.assign(new Worker('data:text/javascript,postMessage(0)'), { onmessage: resolve, onerror: reject });
    }));
    await attempt('rtc', () => new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${udp}' }] }));
    const form = document.body.appendChild(document.createElement('form'));
    form.action = 'http://127.0.0.1:${tcp}/form';
    form.submit();
    document.getElementById('leave').click();
    found.push('done');
    document.querySelector('output').textContent = found.join(', ');
    onclick = () => { location.href = 'http://127.0.0.1:${tcp}/self'; };
  })();
</script>`;

test('a page that a model wrote is shown without scripts, and with them it reaches nothing', async () => {
  let connections = 0;
  const sent: string[] = [];
  const tcp = createServer((socket) => {
    connections++;
    socket.on('error', () => {}).on('data', (bytes) => sent.push(bytes.toString()));
  }).listen(0, '127.0.0.1');
  const udp = createSocket('udp4').on('message', () => sent.push('udp'));
  udp.bind(0, '127.0.0.1');
  await Promise.all([once(tcp, 'listening'), once(udp, 'listening')]);
  const html = HOSTILE((tcp.address() as AddressInfo).port, udp.address().port);
  const { page, answer } = await openAnswer(`\`\`\`html\n${html}\n\`\`\``);
  const address = page.url();

  await answer.getByRole('button', { name: 'Preview' }).click();
  const frame = page.frameLocator('iframe[title="Preview"]');
  const shown = frame.getByText('shown', { exact: true });
  await shown.waitFor();
  expect(await shown.evaluate((element) => getComputedStyle(element).color)).toBe('rgb(1, 2, 3)');
  expect(await frame.locator('output').textContent()).toBe('');
  await frame.locator('#leave').click();
  await shown.waitFor();
  expect(connections).toBe(0);

  await answer.getByRole('button', { name: 'Run scripts' }).click();
  await expect
    .poll(() => frame.locator('output').textContent())
    .toBe(
      'app refused, storage refused, cookie refused, fetch refused, api refused, top refused, popup refused, worker refused, rtc refused, done',
    );
  await frame.locator('body').click();
  await expect.poll(() => frame.locator('output').count()).toBe(0);
  await answer.getByRole('button', { name: 'Stop scripts' }).click();
  await shown.waitFor();
  expect(await frame.locator('output').textContent()).toBe('');
  expect(sent).toEqual([]);
  expect(page.url()).toBe(address);
  expect(
    page
      .context()
      .pages()
      .filter((other) => other.url().includes('popup')),
  ).toEqual([]);

  const alone = await page.context().newPage();
  await alone.goto(`${stage.url}/frames/preview-with-scripts`);
  expect(await alone.evaluate(() => self.origin)).toBe('null');
  await alone.close();
  tcp.close();
  udp.close();
  await page.close();
});

test('a drawing that a model wrote is previewed as an image', async () => {
  const { page, answer } = await openAnswer(
    '```svg\n<svg viewBox="0 0 9 9"><script>alert(1)</script><rect width="9" height="9"/></svg>\n```',
  );
  await answer.getByRole('button', { name: 'Preview' }).click();
  const image = answer.getByRole('img', { name: 'Preview' });
  await expect.poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
  expect(page.problems).toEqual([]);
  await page.close();
});
