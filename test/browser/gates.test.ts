import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createHeldTool } from '../support/held-tool.ts';
import { createMailTool } from './mail-tool.ts';
import { openChromium } from './open-chromium.ts';
import { startStage } from './stage.ts';
import { ask } from './talk.ts';

const { tool, sent } = createMailTool();
const step = createHeldTool();

let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;

beforeAll(async () => {
  [stage, browser] = await Promise.all([startStage({}, { tools: [tool, step.tool] }), openChromium()]);
});

beforeEach(() => {
  sent.length = 0;
});

afterAll(async () => {
  await browser.close();
  await stage.close();
});

const MAIL = 'use send_mail {"to": "ann@example.com", "text": "hi"}';

test('a click on approve runs the tool once, and the thread continues', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, MAIL);
  const card = page.getByRole('region', { name: 'Waits for you: Run send_mail?' });
  await card.getByText('ann@example.com').first().waitFor();
  expect(sent).toEqual([]);
  await card.getByRole('button', { name: 'Approve once' }).click();
  await page.getByRole('article').getByText('result: sent number 1').waitFor();
  expect(sent).toHaveLength(1);
  expect(await card.count()).toBe(0);
  await page.close();
});

test('a gate waits through a reload, and is denied with a reason by keyboard', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, MAIL);
  await page.getByRole('button', { name: 'Deny' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Deny' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type('not today');
  await page.keyboard.press('Enter');
  await page.getByRole('article').getByText('not today').waitFor();
  expect(sent).toEqual([]);
  await page.close();
});

test('a message at an open gate leaves the card where it is, and is read after the answer', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, MAIL);
  const approve = page.getByRole('button', { name: 'Approve once' });
  await approve.waitFor();
  await ask(page, 'say afterwards');
  await page.getByText('Read after you answer').waitFor();
  await page.reload();
  await page.getByText('Read after you answer').waitFor();
  expect(sent).toEqual([]);
  await approve.click();
  await page.getByRole('article').getByText('afterwards').waitFor();
  await expect.poll(() => approve.count()).toBe(0);
  expect(sent).toHaveLength(1);
  await page.close();
});

test('Esc stops a turn that waits at a gate', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, MAIL);
  const approve = page.getByRole('button', { name: 'Approve once' });
  await approve.waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'Message' }).press('Escape');
  await page.getByText('Stopped by you.').waitFor();
  await expect.poll(() => approve.count()).toBe(0);
  expect(sent).toEqual([]);
  await page.close();
});

test('a message at an open gate can be the reason of a denial instead', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, MAIL);
  await page.getByRole('button', { name: 'Approve once' }).waitFor();
  await ask(page, 'Wait until Friday.');
  await page.getByRole('button', { name: 'Deny, and use this as the reason' }).click();
  await expect.poll(() => page.getByRole('log').innerText()).toMatch(/· Wait until Friday\.\s+Denied by you/);
  await expect.poll(() => page.getByRole('region', { name: 'Queued message' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Approve once' }).count()).toBe(0);
  expect(sent).toEqual([]);
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Message');
  await page.close();
});

test('a person who speaks to the computer turns keys of one letter off', async () => {
  const page = await browser.signIn(stage.url, { path: '/settings/general' });
  await page.getByRole('switch', { name: 'Keys of one letter' }).click();
  await page.goto(stage.url);
  await ask(page, MAIL);
  const approve = page.getByRole('button', { name: 'Approve once' });
  await approve.waitFor();
  expect(await page.locator('.gate-key').count()).toBe(0);
  await page.keyboard.press('Alt+ArrowUp');
  await page.clock.install();
  await page.clock.runFor(1000); // the card has stood still for long enough
  for (const key of ['n', 'a', 'y', '?']) await page.keyboard.press(key);
  expect(await approve.isVisible()).toBe(true);
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.evaluate(() => localStorage.removeItem('reborn.letter-keys'));
  expect(sent).toEqual([]);
  await page.close();
});

test('a message that is sent while the agent works is read after the step, or stops it with "send now"', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'use step {"n":1}\nuse step {"n":2}');
  await step.begun();
  await ask(page, 'say instead');
  await page.getByText('Read after this step').waitFor();
  await page.reload();
  await page.getByText('Read after this step').waitFor();
  step.release();
  await page.getByText('Stopped here to read your next message').waitFor();
  await page.getByRole('article').getByText('instead', { exact: true }).waitFor();

  await ask(page, 'use step {"n":3}');
  await step.begun();
  await ask(page, 'say at once');
  await page.getByRole('button', { name: 'Send now, and stop the step' }).click();
  await page.getByRole('article').getByText('at once', { exact: true }).waitFor();
  expect(step.stopped).toEqual(['{"n":3}']);
  expect(step.calls()).toBe(2);
  await page.close();
});

test('a gate that is answered in one tab is gone from the other', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, MAIL);
  await page.getByRole('button', { name: 'Approve once' }).waitFor();
  const other = await browser.open();
  await other.goto(page.url());
  await other.getByRole('button', { name: 'Approve once' }).waitFor();
  await other.getByRole('button', { name: 'Approve once' }).click();
  await page.getByRole('article').getByText('result: sent').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Approve once' }).count()).toBe(0);
  await Promise.all([page.close(), other.close()]);
});

test('after "always", the same question is not asked again', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, MAIL);
  await page.getByRole('button', { name: 'Always…' }).click();
  const rules = page.getByRole('group', { name: 'Which calls run from now on without a question?' });
  expect(await rules.getByRole('radio').count()).toBe(2);
  expect(await rules.getByRole('radio', { name: 'Exactly this' }).isChecked()).toBe(true);
  await rules.getByRole('radio', { name: 'The same with any text (text) These values stay the same: to' }).waitFor();
  await page.getByRole('button', { name: 'Approve and remember' }).click();
  await page.getByRole('article').getByText('result: sent number 1').waitFor();
  await ask(page, MAIL);
  await page.getByRole('article').getByText('result: sent number 2').waitFor();
  expect(sent).toHaveLength(2);
  await page.close();
});

test.each([
  [
    'repeated keys and long numbers',
    '{"to":"eve@evil.example","to":"ann@example.com","amount":12345678901234567891}',
    [
      '"to": "eve@evil.example"',
      '"to": "ann@example.com"',
      '"amount": 12345678901234567891',
      'The key "to" appears more than once.',
    ],
  ],
  [
    'reordering characters',
    '{"to":"ann@example.com \u202emoc.elpmaxe.live@ecila\u202c"}',
    [
      String.raw`"to": "ann@example.com \u202emoc.elpmaxe.live@ecila\u202c"`,
      'Invisible or reordering characters are shown as escapes',
    ],
  ],
  [
    'invisible characters',
    '{"url":"https://github.com/acme/pro\u200bject","note":"ok\u3164\u00ad"}',
    [String.raw`"url": "https://github.com/acme/pro\u200bject"`, String.raw`"note": "ok\u3164\u00ad"`],
  ],
])('the card shows %s exactly as they run', async (_, json, shown) => {
  const page = await browser.signIn(stage.url);
  await ask(page, `use send_mail ${json}`);
  const card = page.getByRole('region', { name: 'Waits for you: Run send_mail?' });
  await card.getByRole('button', { name: 'Approve once' }).waitFor();
  const exact = card.getByRole('button', { name: 'Exact arguments' });
  if ((await exact.getAttribute('aria-expanded')) === 'false') await exact.click();
  const seen = await card.innerText();
  for (const line of shown) expect(seen).toContain(line);
  expect(seen).not.toMatch(/[\u202e\u202c\u200b\u3164\u00ad]/);
  await card.getByRole('button', { name: 'Approve once' }).click();
  await page.getByRole('article').getByText('result: sent number 1').waitFor();
  expect(sent).toEqual([json]);
  await page.close();
});

test('a text written from right to left does not move the keys and values beside it', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'use send_mail {"to":"\u05d0","amount":100,"text":"\u05d1"}');
  const card = page.getByRole('region', { name: 'Waits for you: Run send_mail?' });
  await card.getByRole('button', { name: 'Exact arguments' }).click();
  const directions = await card
    .locator('pre bdi')
    .evaluateAll((parts) => parts.map((part) => [part.textContent, getComputedStyle(part).unicodeBidi]));
  expect(directions).toEqual(['"to"', '"\u05d0"', '"amount"', '"text"', '"\u05d1"'].map((text) => [text, 'isolate']));
  await page.close();
});

test('all of a long call is on the page before the button, and one that is too long can only be denied', async () => {
  const page = await browser.signIn(stage.url);
  const card = page.getByRole('region', { name: 'Waits for you: Run send_mail?' });
  await ask(page, `use send_mail {"text":"${'long words '.repeat(4000)}the end"}`);
  await card.getByRole('button', { name: 'whole text, 1 line' }).click();
  expect(await card.locator('dl').innerText()).toContain('the end');
  await card.getByRole('button', { name: 'Exact arguments' }).click();
  expect(await card.locator('pre').innerText()).toContain('the end"');
  expect(await card.locator('pre').evaluate((box) => box.scrollHeight <= box.clientHeight)).toBe(true);
  await card.getByRole('button', { name: 'Deny' }).click();
  await page.keyboard.press('Enter');
  await page.getByRole('article').getByText('Not run: denied.').waitFor();

  await ask(page, `use send_mail {"text":"${'long words '.repeat(5000)}the end"}`);
  await card.getByText("This call can't be approved: its arguments have 55,018 characters").waitFor();
  expect(await card.getByRole('button').allInnerTexts()).toEqual([expect.stringMatching(/^Deny/)]);
  expect(sent).toEqual([]);
  await page.close();
});

test('a card with twenty values and nine lines fits a phone of 320 pixels, and lists them all', async () => {
  const page = await browser.signIn(stage.url);
  await page.setViewportSize({ width: 320, height: 640 });
  const lines = Array.from({ length: 9 }, (_, index) => `Line ${index + 1} of the text`).join('\n');
  const values = Array.from({ length: 19 }, (_, index) => [
    `value_${index + 1}`,
    `unbreakable-${'x'.repeat(60)}-${index}`,
  ]);
  await ask(page, `use send_mail ${JSON.stringify({ ...Object.fromEntries(values), text: lines })}`);
  const card = page.getByRole('region', { name: 'Waits for you: Run send_mail?' });
  await card.getByRole('button', { name: 'Approve once' }).waitFor();
  expect(await card.locator('dl dt').count()).toBe(20);
  await card.getByRole('button', { name: 'whole text, 9 lines' }).click();
  await card.getByText('Line 9 of the text').waitFor();
  const tooWide = (box: Element) =>
    [box, ...box.querySelectorAll('dl, dd, button')].filter((part) => part.scrollWidth > part.clientWidth + 1).length;
  expect(await card.evaluate(tooWide)).toBe(0);
  expect(await page.locator('html').evaluate((html) => html.scrollWidth)).toBe(320);
  await card.getByRole('button', { name: 'Approve once' }).click();
  await expect.poll(() => sent.length).toBe(1);
  await page.close();
});

test('a card is answered by keyboard alone, but by no key that is typed into a field', async () => {
  const page = await browser.signIn(stage.url);
  const composer = page.getByRole('textbox', { name: 'Message' });
  const card = page.getByRole('region', { name: 'Waits for you: Run send_mail?' });
  await ask(page, 'use send_mail {"to": "bob@example.com", "text": "hi"}');
  await card.waitFor();
  await composer.focus();
  await page.keyboard.type('yan');
  expect(await composer.inputValue()).toBe('yan');
  await composer.fill('');

  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(() => card.evaluate((box) => box === document.activeElement)).toBe(true);
  const pressUntil = async (key: string, opened: string) => {
    await expect
      .poll(async () => {
        await page.keyboard.press(key); // the card may still have moved
        return card.getByRole('button', { name: opened }).count();
      })
      .toBe(1);
    await page.keyboard.press('Escape');
  };
  await pressUntil('n', 'Back');
  await pressUntil('a', 'Approve and remember');
  await expect
    .poll(async () => {
      await page.keyboard.press('y');
      return sent.length;
    })
    .toBe(1);
  await expect.poll(() => composer.evaluate((box) => box === document.activeElement)).toBe(true);
  await page.close();
});

test('no key answers a card that has just come up', async () => {
  const page = await browser.signIn(stage.url);
  await page.evaluate(() => {
    const press = (_: readonly MutationRecord[], observer: MutationObserver) => {
      if (!document.querySelector('section.gate button')) return;
      observer.disconnect(); // later, a key may answer it
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'y', bubbles: true }));
      document.body.dataset['pressed'] = 'yes';
    };
    new MutationObserver(press).observe(document.body, { childList: true, subtree: true });
  });
  await ask(page, 'use send_mail {"to": "bob@example.com", "text": "hi"}');
  await page.locator('body[data-pressed]').waitFor();
  expect(await page.getByRole('button', { name: 'Approve once' }).isEnabled()).toBe(true);
  expect(sent).toEqual([]);
  await page.close();
});
