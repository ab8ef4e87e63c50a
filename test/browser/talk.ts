import type { Page } from 'playwright-core';

/** Types a message into the composer and sends it. */
export async function ask(page: Page, message: string): Promise<void> {
  const composer = page.getByRole('textbox', { name: 'Message' });
  await composer.fill(message);
  await composer.press('Enter'); // not on the page: a menu that closes gives the focus back to its button
}

export const conversation = (page: Page) => page.getByRole('log').innerText();

/** The numbers of the newest answer, in their order. */
export async function countedIn(page: Page): Promise<number[]> {
  const words = await page.locator('article .prose').last().innerText();
  return [...words.matchAll(/\d+/g)].map(([digits]) => Number(digits));
}
