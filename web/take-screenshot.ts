import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';

/** In bytes: the pictures are in the repository. */
export const LARGEST_PICTURE = 150_000;

/** The page as it is once everything on it has loaded. */
export async function takeScreenshot(page: Page, file: string, mostBytes = LARGEST_PICTURE): Promise<void> {
  await page.waitForLoadState('networkidle').catch(() => {});
  await page.waitForFunction(() => document.querySelector('.skeleton') === null);
  await page.screenshot({ path: file, animations: 'disabled', caret: 'initial' });
  const { size } = await stat(file);
  if (size > mostBytes) throw new Error(`${path.basename(file)} has ${size} bytes; ${mostBytes} are the most.`);
}
