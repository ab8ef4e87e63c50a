import { setTimeout as sleep } from 'node:timers/promises';
import { openChromium } from '../../test/browser/open-chromium.ts';

/** The health page after some seconds of looking at it. */
export async function drawHealth(url: string, seconds: number): Promise<void> {
  const browser = await openChromium({ width: 1280, height: 800 });
  const page = await browser.signIn(url);
  await page.goto(`${url}/operator/health`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await sleep(seconds * 1000);
  await page.screenshot({ path: 'docs/pictures/health-load.png' });
  await browser.close();
}
