import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLooks, checkPage } from './check-page.ts';
import { openChromium } from './open-chromium.ts';
import { startStage } from './stage.ts';
import { ask } from './talk.ts';

let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;

beforeAll(async () => {
  [stage, browser] = await Promise.all([startStage({ SANDBOX: 'auto' }), openChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stage.close();
});

const PHONE = { width: 390, height: 844 };

const python = (title: string, code: string) => `use reborn_python ${JSON.stringify({ title, code })}`;

const CHART = `
import pandas as pd, matplotlib.pyplot as plt
costs = pd.read_csv('costs.csv')
print(costs.to_string(index=False))
costs.plot.bar(x='supplier', y='kr', legend=False, figsize=(6, 3)); plt.tight_layout(); plt.savefig('costs.png')
costs.sort_values('kr').to_csv('sorted.csv', index=False)`;

const CHANGE = `
costs = costs[costs.kr > 20_000]
costs.plot.bar(x='supplier', y='kr', legend=False, figsize=(6, 3)); plt.tight_layout(); plt.savefig('costs.png')
costs.sort_values('kr').to_csv('sorted.csv', index=False)`;

const show = (...paths: string[]) => `use reborn_file_present ${JSON.stringify({ paths })}`;

test('on a phone: a table is attached, code draws it, the files are opened, changed, compared, restored and saved', async () => {
  const page = await browser.signIn(stage.url);
  await page.setViewportSize(PHONE);
  await page.locator('input[type=file]').setInputFiles({
    name: 'costs.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('supplier,kr\nElvekraft,48616\nØst Renhold,14000\nNordlys,23500\n'),
  });
  await ask(
    page,
    `${python('Compare the suppliers', CHART)}\n${show('costs.png', 'sorted.csv')}\nCompare them, please.`,
  );
  const card = page.getByRole('region', { name: 'Compare the suppliers' });
  await card.getByText(/Øst Renhold +14000/).waitFor();
  await card.getByText(/\+costs\.png \([\d.]+ kB\), \+sorted\.csv .*; version 2/).waitFor();
  await card.getByText('Code', { exact: true }).click();
  await card.getByText("costs = pd.read_csv('costs.csv')").waitFor();
  await card.getByText('Code', { exact: true }).click();
  const files = page.getByRole('group', { name: 'Files' });
  const chart = files.getByRole('img', { name: 'Open costs.png' });
  await expect.poll(() => chart.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(600);
  expect(await page.locator('main img').count()).toBe(1); // drawn and presented, but shown once
  await checkLooks(page, 'code-card');

  await files.getByRole('button', { name: /^costs\.png/ }).click();
  const panel = page.getByRole('complementary', { name: 'Files' });
  await panel.getByRole('img', { name: 'costs.png' }).waitFor();
  expect(await panel.boundingBox()).toMatchObject({ x: 0, y: 0, ...PHONE });
  await checkPage(page, 'code-chart-390');
  await panel.getByRole('button', { name: 'Close' }).click();
  await panel.waitFor({ state: 'detached' });

  await ask(page, `${python('Leave one out', CHANGE)}\n${show('sorted.csv')}`);
  await page
    .getByRole('region', { name: 'Leave one out' })
    .getByText(/~costs\.png, ~sorted\.csv; version 3/)
    .waitFor();
  await page.getByRole('button', { name: /^sorted\.csv.*version 2/ }).click(); // the card of the first answer is there, too
  await panel.getByText('Version 2 of 2').waitFor();
  await panel.getByRole('tab', { name: /Changes/ }).click();
  await panel.getByRole('row').filter({ hasText: 'Øst Renhold,14000' }).getByText('removed').waitFor();
  await checkPage(page, 'code-changes-390');
  await panel.getByRole('button', { name: 'Restore version 1' }).click();
  await panel.getByText('Version 3 of 3').waitFor();
  await panel.getByRole('tab', { name: 'Preview' }).click();
  await panel.getByRole('cell', { name: 'Øst Renhold' }).waitFor();
  await checkPage(page, 'code-restored-390');
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name: 'Download', exact: true }).click(),
  ]);
  expect(await readFile(await saved.path(), 'utf8')).toBe(
    'supplier,kr\nØst Renhold,14000\nNordlys,23500\nElvekraft,48616\n',
  );
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });

  await ask(page, python('Try something', "print('a' * 3)\nopen('missing.csv')"));
  await page.getByRole('region', { name: 'Try something' }).getByText('FileNotFoundError').waitFor();
  await checkPage(page, 'code-failed-390');
  expect(page.problems).toEqual([]);
  await page.close();
});

test('output is shown while code runs', async () => {
  const page = await browser.signIn(stage.url);
  await ask(
    page,
    `use reborn_shell ${JSON.stringify({ title: 'Count', command: 'for i in 1 2 3; do echo step $i; sleep 1; done; exit 4' })}`,
  );
  const card = page.getByRole('region', { name: 'Count' });
  await card.getByText('step 1').waitFor();
  expect(await card.getByText('step 3').count()).toBe(0);
  await card.getByText('It ended with the exit code 4.').waitFor();
});
