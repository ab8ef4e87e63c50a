import type { Page } from 'playwright-core';

/** Types a message into the composer and sends it. */
export async function ask(page: Page, message: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(message);
  await page.keyboard.press('Enter');
}

export const conversation = (page: Page) => page.getByRole('log').innerText();

/** The numbers of the newest answer, in their order. */
export async function countedIn(page: Page): Promise<number[]> {
  const words = await page.locator('article .prose').last().innerText();
  return [...words.matchAll(/\d+/g)].map(([digits]) => Number(digits));
}
