import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMailTool } from './mail-tool.ts';
import { type OpenPage, openChromium } from './open-chromium.ts';
import { startStage } from './stage.ts';
import { ask } from './talk.ts';

let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;
let page: OpenPage;

beforeAll(async () => {
  [stage, browser] = await Promise.all([
    startStage({}, { tools: [createMailTool().tool] }),
    openChromium({ motion: true }),
  ]);
  page = await browser.signIn(stage.url);
});

afterAll(async () => {
  await browser.close();
  await stage.close();
});

const styleOf = (of: Locator, name: string, pseudo?: string) =>
  of.evaluate((element, wanted) => getComputedStyle(element, wanted.pseudo).getPropertyValue(wanted.name), {
    name,
    pseudo,
  });

test('menus and the drawer move only for people who have not asked for less motion', async () => {
  const menu = page.getByRole('menu');
  const drawer = page.locator('nav.drawer');
  const openMenu = async () => {
    await page.getByRole('button', { name: /account and settings/ }).click();
    await menu.waitFor();
    const found = await styleOf(menu, 'transition-duration');
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    return found;
  };
  expect(await openMenu()).toContain('0.12s');
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await styleOf(drawer, 'transition-duration')).toContain('0.2s');

  await page.emulateMedia({ reducedMotion: 'reduce' });
  expect(await styleOf(drawer, 'transition-duration')).toBe('0s');
  await page.setViewportSize({ width: 1280, height: 800 });
  expect(await openMenu()).toBe('0s');
  await page.emulateMedia({ reducedMotion: 'no-preference' });
});

test('while an answer comes, a ring turns and a caret is at its end; with less motion the ring is a dot', async () => {
  await ask(page, 'count 400 every 50');
  const answer = page.locator('article[aria-busy="true"] .prose');
  await answer.getByText('3', { exact: false }).first().waitFor();
  const last = answer.locator('p').last();
  expect(await styleOf(last, 'width', '::after')).toBe('2px');
  const ring = page.getByRole('navigation').getByTitle('works');
  expect(await styleOf(ring, 'animation')).toContain('0.9s');

  await page.emulateMedia({ reducedMotion: 'reduce' });
  expect(await styleOf(ring, 'animation-name')).toBe('none');
  expect(await styleOf(ring, 'background-color')).toBe(await styleOf(ring, 'border-left-color'));
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.getByRole('button', { name: 'Stop' }).click();
  await ring.waitFor({ state: 'detached' });
});

test('a gate that comes up pulses once, and one that was there before is still', async () => {
  await page.goto(stage.url);
  await ask(page, 'use send_mail {"to": "ann@example.com", "text": "hi"}');
  const card = page.getByRole('region', { name: 'Waits for you: Run send_mail?' });
  await card.waitFor();
  expect(await styleOf(card, 'animation-name')).toBe('halo');
  expect(await styleOf(card, 'animation-iteration-count')).toBe('1');

  await page.clock.install({ time: Date.now() + 60_000 });
  await page.reload();
  await card.waitFor();
  expect(await styleOf(card, 'animation-name')).toBe('none');
});
