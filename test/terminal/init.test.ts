import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshHome } from '../support/fresh-home.ts';
import { runReborn } from '../support/run-reborn.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { openTerminal } from './tmux.ts';

let home: Awaited<ReturnType<typeof freshHome>>;
let model: Awaited<ReturnType<typeof startScriptedModel>>;

beforeAll(async () => {
  home = await freshHome({ empty: true });
  model = await startScriptedModel();
});
afterAll(async () => {
  await model.close();
  await home.remove();
});

test('reborn init leads from nothing to a first answer', async () => {
  const asked = await openTerminal({ env: home.env, args: ['init'] });
  try {
    await asked.sees('Reborn: choose a model');
    await asked.sees('Demo model (offline)');
    await asked.press('Up', 'Up', 'Enter'); // from the first one over the end of the list
    await asked.sees('◆  Address');
    await asked.press('C-u');
    await asked.type(`${model.url}/wrong`);
    await asked.press('Enter');
    await asked.sees('Key (Enter for none)');
    await asked.type('sk-hidden');
    await asked.press('Enter');
    await asked.sees("in the provider's own spelling");
    await asked.type('scripted');
    await asked.press('Enter');
    await asked.sees('real call?');
    expect(await asked.scrollback()).not.toContain('sk-hidden');
    await asked.press('n');
    await asked.sees('Start the chat with');
    expect(await asked.exited()).toEqual({ code: 0 });
  } finally {
    await asked.close();
  }
  const file = path.join(home.home, 'settings.env');
  expect(await readFile(file, 'utf8')).toContain('LLM_API_KEY=sk-hidden');
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  const again = await openTerminal({ env: home.env, args: ['init'] });
  try {
    await again.sees('Demo model (offline)');
    await again.press('Enter'); // each step keeps what is set
    await again.sees('/wrong');
    await again.press('BSpace', 'BSpace', 'BSpace', 'BSpace', 'BSpace', 'BSpace', 'Enter');
    await again.sees('Enter keeps the one that is set');
    await again.press('Enter');
    await again.sees("in the provider's own spelling");
    await again.press('Enter');
    await again.sees('real call?');
    await again.press('Enter');
    await again.sees('The model answers.');
    await again.exited();
  } finally {
    await again.close();
  }
  expect(model.seen).toHaveLength(1);

  const chat = await openTerminal({ env: { ...home.env, GATEWAY_PORT: '0' } });
  try {
    await chat.sees('scripted  0 % of the context', 60_000);
    await chat.type('say a first answer');
    await chat.press('Enter');
    await chat.sees(/Reborn\na first answer/);
    await chat.press('C-c');
    await chat.exited();
  } finally {
    await chat.close();
  }
});

test('a call that fails says why, and one may choose again or keep it', async () => {
  const terminal = await openTerminal({ env: home.env, args: ['init'] });
  try {
    await terminal.sees('Demo model (offline)');
    await terminal.press('Enter');
    await terminal.sees('◆  Address');
    await terminal.press('C-u');
    await terminal.type('http://127.0.0.1:1/v1');
    await terminal.press('Enter');
    await terminal.sees('Enter keeps the one that is set');
    await terminal.press('Enter');
    await terminal.sees("in the provider's own spelling");
    await terminal.press('Enter');
    await terminal.sees('real call?');
    await terminal.press('Enter');
    await terminal.sees('What now?', 40_000);
    await terminal.sees(/The reason is ECO\s*NNREFUSED\. The address is/); // in two lines
    await terminal.press('Enter');
    await terminal.sees(/Choose again\n[\s\S]*Provider/);
    await terminal.press('C-c');
    await terminal.sees('Nothing was changed.');
    expect(await terminal.exited()).toEqual({ code: 1 });
  } finally {
    await terminal.close();
  }
});

test('the models that the provider lists are searched by typing', async () => {
  const provider = createServer((_, response) =>
    response.end(JSON.stringify({ data: [{ id: 'large' }, { id: 'small' }] })),
  );
  await once(provider.listen(0, '127.0.0.1'), 'listening');
  const { port } = provider.address() as AddressInfo;
  const terminal = await openTerminal({ env: home.env, args: ['init'] });
  try {
    await terminal.sees('Demo model (offline)');
    await terminal.press('Enter');
    await terminal.sees('◆  Address');
    await terminal.press('C-u');
    await terminal.type(`http://127.0.0.1:${port}/v1`);
    await terminal.press('Enter');
    await terminal.sees('Enter keeps the one that is set');
    await terminal.press('Enter');
    await terminal.sees('The provider offers 2 models.');
    await terminal.sees('Another model');
    await terminal.type('sma');
    await terminal.loses('large');
    await terminal.press('Enter');
    await terminal.sees('real call?');
    await terminal.press('n');
    await terminal.sees('Start the chat with');
  } finally {
    await terminal.close();
    provider.close();
  }
  expect(await readFile(path.join(home.home, 'settings.env'), 'utf8')).toContain('LLM_MODEL=small');
});

test('without a terminal, init says what to set instead', async () => {
  const { code, stderr } = await runReborn(['init'], { env: home.env });
  expect(code).toBe(1);
  expect(stderr).toContain('Set LLM_PROVIDER, LLM_MODEL and LLM_API_KEY');
});
