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

/** Shares the thread whose title begins so, once the list has it, and returns its link. */
export async function share(page: Page, title: string): Promise<string> {
  await page.getByRole('button', { name: `Actions on ${title}` }).click();
  await page.getByRole('menuitem', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share this thread' });
  await dialog.getByRole('button', { name: 'Make a link' }).click();
  await dialog.getByText('Anyone with this link can read this thread.').waitFor();
  return (await dialog.getByText('/shared/').innerText()).trim();
}

/** Answers the dialog that asks whether it is meant. Only its title is a question: other dialogs may have a button of the same name. */
export const confirm = (page: Page, action: string) =>
  page.getByRole('dialog', { name: /\?$/ }).getByRole('button', { name: action, exact: true }).click();

/** How many colours the code on a page has. */
export const coloursOfCode = (page: Page) =>
  page
    .locator('[data-streamdown="code-block-body"] span')
    .evaluateAll((spans) => new Set(spans.map((span) => getComputedStyle(span).color)).size);
