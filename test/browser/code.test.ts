import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLooks } from './check-page.ts';
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

const python = (title: string, code: string) => `use reborn_python ${JSON.stringify({ title, code })}`;

const CHART = `
import pandas as pd, matplotlib.pyplot as plt
costs = pd.read_csv('costs.csv')
print(costs.to_string(index=False))
costs.plot.bar(x='supplier', y='kr', legend=False, figsize=(6, 3)); plt.tight_layout(); plt.savefig('costs.png')
costs.sort_values('kr').to_csv('sorted.csv', index=False)`;

test('a table is attached, code draws it, the picture is in the thread, and the files are in the panel', async () => {
  const page = await browser.signIn(stage.url);
  await page.locator('input[type=file]').setInputFiles({
    name: 'costs.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('supplier,kr\nElvekraft,48616\nØst Renhold,14000\nNordlys,23500\n'),
  });
  await ask(page, `${python('Compare the suppliers', CHART)}\nCompare them, please.`);
  const card = page.getByRole('region', { name: 'Compare the suppliers' });
  await card.getByText(/Øst Renhold +14000/).waitFor();
  await card.getByText(/\+costs\.png \([\d.]+ kB\), \+sorted\.csv .*; version 2/).waitFor();
  await page.getByRole('article').getByRole('img').or(page.locator('main img')).first().waitFor();
  await checkLooks(page, 'code-card');

  await card.getByText('Code', { exact: true }).click();
  await card.getByText("costs = pd.read_csv('costs.csv')").waitFor();

  await ask(page, python('Try something', "print('a' * 3)\nopen('missing.csv')"));
  const failed = page.getByRole('region', { name: 'Try something' });
  await failed.getByText('FileNotFoundError').waitFor();

  await page.keyboard.press('Alt+.');
  const panel = page.getByRole('complementary', { name: 'Files' });
  await panel.waitFor();
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name: 'Download', exact: true }).click(),
  ]);
  expect((await readFile(await saved.path())).length).toBeGreaterThan(0);
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
