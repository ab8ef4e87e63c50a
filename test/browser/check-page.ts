import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

type Theme = 'light' | 'dark';

/** The page is accessible and fits the window, on a desktop and a phone, in both themes. Saves a picture of each. */
export async function checkLooks(page: Page, name: string): Promise<void> {
  const before = page.viewportSize();
  for (const width of [1440, 390])
    for (const theme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 });
      await showTheme(page, theme);
      await checkPage(page, `${name}-${theme}-${width}`, rulesFor(theme));
    }
  if (before) await page.setViewportSize(before);
}

/** The page is accessible and fits the window. Saves a picture named `name`. */
export async function checkPage(page: Page, name: string, rules?: string[]): Promise<void> {
  await takePicture(page, name);
  const wide = await page.evaluate(
    () =>
      [document.documentElement, ...document.querySelectorAll('main, [role=dialog]')].filter(
        (element) => element.scrollWidth > element.clientWidth + 1,
      ).length,
  );
  expect({ name, wide }).toEqual({ name, wide: 0 });
  expect({ name, found: await findViolations(page, rules) }).toEqual({ name, found: [] });
}

/** Saves a picture in the folder that PICTURES names, if it is set. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES'];
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}

/** What axe finds on the page in both themes, with the elements and what to do about them. */
export async function findViolationsInBothThemes(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const theme of ['light', 'dark'] as const) {
    await showTheme(page, theme);
    found.push(...(await findViolations(page, rulesFor(theme))).map((violation) => `${theme}: ${violation}`));
  }
  return found;
}

/** The dark theme has the same elements as the light one; only their colours differ. undefined for all rules. */
const rulesFor = (theme: Theme) => (theme === 'dark' ? ['color-contrast', 'link-in-text-block'] : undefined);

/** Colours change at once, so that none is judged halfway. */
async function showTheme(page: Page, theme: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  await page.locator(`html[data-theme=${theme}]`).waitFor();
}

/** What axe finds on the page, with the elements and what to do about them. All rules are checked unless some are given. */
export async function findViolations(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  await page.evaluate(endTransitions);
  return page.evaluate(async (runOnly) => {
    type Found = { violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] };
    const { axe: loaded } = globalThis as unknown as { axe: { run: (options: object) => Promise<Found> } };
    const { violations } = await loaded.run({
      resultTypes: ['violations'],
      selectors: false, // a tenth of the time, and the HTML names an element well enough
      ...(runOnly && { runOnly }),
    });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' | ')}`,
    );
  }, rules);
}

/** Nothing is judged while it fades. Runs in the page. */
async function endTransitions(): Promise<void> {
  const fading = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
  await Promise.allSettled(fading.map((animation) => animation.finished));
}
