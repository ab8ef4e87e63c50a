import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/**
 * The page is accessible and fits the window, on a desktop and a phone, in both themes. With PICTURES set to a folder,
 * pictures named after `name` are saved there.
 */
export async function checkLooks(page: Page, name: string): Promise<void> {
  const before = page.viewportSize();
  for (const width of [1440, 390])
    for (const theme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      const folder = process.env['PICTURES'];
      if (folder) await page.screenshot({ path: `${folder}/${name}-${theme}-${width}.png` });
      const wide = await page.evaluate(
        () =>
          [document.documentElement, ...document.querySelectorAll('main, [role=dialog]')].filter(
            (element) => element.scrollWidth > element.clientWidth + 1,
          ).length,
      );
      expect({ name, width, theme, wide, found: await findViolations(page, theme) }).toEqual({
        name,
        width,
        theme,
        wide: 0,
        found: [],
      });
    }
  if (before) await page.setViewportSize(before);
}

/** The dark theme differs in its colours alone. */
async function findViolations(page: Page, theme: 'light' | 'dark'): Promise<string[]> {
  const rules = theme === 'dark' ? { runOnly: ['color-contrast'] } : {};
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(async (only) => {
    type Found = { violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] };
    const { axe: loaded } = globalThis as unknown as { axe: { run: (options: object) => Promise<Found> } };
    const { violations } = await loaded.run({ resultTypes: ['violations'], ...only });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' | ')}`,
    );
  }, rules);
}
