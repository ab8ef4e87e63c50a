import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { findViolationsInBothThemes, takePicture } from './check-page.ts';
import { openChromium } from './open-chromium.ts';
import { createReadingTools, decideByWords } from './reading-tools.ts';
import { startStage } from './stage.ts';
import { ask } from './talk.ts';

const { tools, sent, opened } = createReadingTools();

let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;

beforeAll(async () => {
  [stage, browser] = await Promise.all([startStage({}, { tools }, decideByWords), openChromium()]);
});

beforeEach(() => {
  sent.length = 0;
  opened.length = 0;
});

afterAll(async () => {
  await browser.close();
  await stage.close();
});

async function askAfterReading(message: string) {
  const page = await browser.signIn(stage.url);
  await ask(page, 'What is new about boats?');
  await page.getByRole('article').getByText('result: Boats').waitFor();
  await ask(page, message);
  return page;
}

test('one card says why it asks, lists all calls, and approves those with a tick', async () => {
  const page = await askAfterReading('Please tell Ann, look at the first one, and order the list.');
  const card = page.getByRole('region', { name: 'Waits for you: Do all 3 of these?' });
  await card.getByRole('button', { name: 'Approve all 3' }).waitFor();
  for (const call of await card.getByRole('button', { name: 'Run open_page?', expanded: false }).all())
    await call.click();
  const seen = await card.innerText();
  expect(seen).toContain('3 things wait for you');
  expect(seen).toContain('Asked because this conversation has read news.example/boats (text by others).');
  expect(seen).toContain('opens all shown links of news.example');
  expect(await card.locator('mark').innerText()).toBe('Dear%20diary');
  await takePicture(page, 'gate-calls');
  expect(await findViolationsInBothThemes(page)).toEqual([]);

  await card.getByRole('button', { name: 'One by one' }).click();
  await card.getByRole('checkbox', { name: 'Run send_mail?' }).uncheck();
  expect(await card.getByRole('button', { name: /Always/ }).count()).toBe(0);
  await card.getByRole('button', { name: 'Approve 2, deny the rest' }).click();
  await expect
    .poll(() => opened)
    .toEqual(['https://news.example/boats/7', 'https://news.example/rest?for=Dear%20diary']);
  await expect.poll(() => card.count()).toBe(0);
  expect(sent).toEqual([]);
  await page.close();
});

test('a forwarded text is set apart from the words of the person, and the card names it', async () => {
  const forwarded = { type: 'input_text', text: 'Boats are for sale.', origin: 'others', source: 'forwarded' };
  await stage.service.ask([
    { role: 'user', content: [{ type: 'input_text', text: 'Please tell Ann about it.' }, forwarded] },
  ]);
  const page = await browser.signIn(stage.url);
  const { threads } = (await (await stage.service.request('/api/threads')).json()) as { threads: { id: string }[] };
  await page.goto(`${stage.url}/threads/${threads[0]?.id}`);
  const card = page.getByRole('region', { name: 'Waits for you: Run send_mail?' });
  await card.getByText('Asked because this conversation has read a forwarded message (text by others).').waitFor();
  const log = page.getByRole('log');
  expect(await log.getByRole('blockquote').innerText()).toBe('Boats are for sale.');
  expect(await log.getByText('Please tell Ann about it.', { exact: true }).count()).toBe(1);
  expect(await findViolationsInBothThemes(page)).toEqual([]);
  await page.close();
});

test('a link is approved for its site, and "always" says that it holds after text by others', async () => {
  const page = await askAfterReading('Please look at the first one.');
  await page.getByRole('button', { name: 'Always…' }).click();
  await page.getByText('It holds also after reading text by others.').waitFor();
  await page.keyboard.press('Escape');
  await takePicture(page, 'gate-link');
  await page.getByRole('button', { name: 'Open links of news.example in this turn' }).click();
  await expect.poll(() => opened).toEqual(['https://news.example/boats/7']);
  await page.close();
});

test('a result that the person trusts has no part in later questions', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'What is new about boats?');
  await page.getByText('has read text by others').waitFor();
  await page.getByText('read_news').first().click();
  await page.getByRole('button', { name: 'I have read this: trust it here' }).click();
  await page.getByText('Text by others, which you have trusted here').waitFor();
  await expect.poll(() => page.getByText('has read text by others').count()).toBe(0);
  await ask(page, 'Please order the list.');
  await expect.poll(() => opened).toHaveLength(1);
  await page.close();
});

test('the inspector says why a call ran without a question', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'What is new about boats?');
  await page.getByRole('article').getByText('result: Boats').waitFor();
  await page.getByRole('button', { name: 'Inspect the newest turn' }).click();
  const inspector = page.getByRole('dialog');
  await inspector
    .getByRole('button', { name: /^model/ })
    .first()
    .click();
  await inspector.getByText('It ran without a question: it only reads at a trusted place').waitFor();
  await page.close();
});

test('a clean thread begins with what was said before text by others was read', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'say hello there');
  await page.getByRole('article').getByText('hello there').waitFor();
  await ask(page, 'What is new about boats?');
  await page.getByRole('article').getByText('result: Boats').waitFor();
  await page.getByRole('button', { name: 'has read text by others' }).click();
  await page.getByRole('menuitem', { name: 'Start a clean thread from here' }).click();
  await expect.poll(() => page.getByRole('log').getByText('What is new about boats?').count()).toBe(0);
  await page.getByRole('article').getByText('hello there').waitFor();
  expect(await page.getByText('has read text by others').count()).toBe(0);
  await page.close();
});

test('an address that the agent has composed is shown in full, and opened only after a question', async () => {
  const page = await askAfterReading('Where can I order one?');
  await page.getByRole('link', { name: 'the boat' }).waitFor();
  await page.getByRole('button', { name: 'https://news.example/rest?for=diary' }).click();
  const dialog = page.getByRole('dialog', { name: 'Open this address?' });
  expect(await dialog.locator('mark').innerText()).toBe('diary');
  await takePicture(page, 'composed-link');
  expect(await findViolationsInBothThemes(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => dialog.count()).toBe(0);
  await page.close();
});

test('a file that the person wrote is sent as their own', async () => {
  const page = await browser.signIn(stage.url);
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
  await page.getByRole('switch', { name: 'I wrote this' }).check();
  const sending = page.waitForRequest(
    (request) => request.method() === 'POST' && request.url().includes('/api/chat/send'),
  );
  await ask(page, 'say thanks');
  expect((await sending).postDataJSON()).toMatchObject({ attachments: [{ name: 'plan.txt', origin: 'own' }] });
  await page.close();
});
