import { expect, test } from 'vitest';
import type { Strength } from '#sandbox/sandbox.ts';
import { checkSandbox } from './check-sandbox.ts';

const sandbox = { enabled: true, runners: [], requires: [], hosts: [] };
const holds: Strength = {
  rung: 'bubblewrap',
  program: 'bubblewrap 0.8.0',
  layers: ['network', 'files', 'processes', 'privileges', 'calls', 'limits'],
  environment: {
    digest: 'd',
    python: '3.11.2',
    libraries: [{ name: 'numpy', version: '1' }],
    programs: ['git'],
    missing: ['docx', 'duckdb'],
  },
};

test('lists the working layers, the installed programs, and packages for the missing ones', async () => {
  expect(await checkSandbox({ sandbox }, async () => holds)).toEqual([
    {
      check: 'code',
      level: 'warning',
      message:
        'Code runs behind bubblewrap 0.8.0, which keeps these apart: network, files, processes, privileges, calls, limits. It finds Python 3.11.2 with numpy. Missing: docx, duckdb.',
      mend: 'Install what the agent should have, such as `apt install python3-docx`.',
    },
  ]);
});

test('a layer that does not hold is named', async () => {
  const weak = { ...holds, layers: ['network', 'files', 'processes', 'privileges', 'limits'] as const };
  const [finding] = await checkSandbox({ sandbox }, async () => weak);

  expect(finding?.message).toContain('It does not hold: calls (it can make no system calls that it does not need).');
});

test('without bubblewrap the reason is given; without code there is nothing to fix', async () => {
  const none: Strength = { rung: 'none', layers: [], why: 'bubblewrap is not installed.' };

  expect(await checkSandbox({ sandbox }, async () => none)).toMatchObject([
    { level: 'warning', message: 'No code runs. bubblewrap is not installed.' },
  ]);
  expect(await checkSandbox({ sandbox: { ...sandbox, enabled: false } })).toMatchObject([{ level: 'ok' }]);
});

test('of runners it says how many are free, and where to look if there are none', async () => {
  const some: Strength = { ...holds, rung: 'runners', program: 'gVisor', runners: { free: 4, of: 6 } };
  const runners = { ...sandbox, runners: [{ host: 'runners', port: 7070 }] };
  expect(await checkSandbox({ sandbox: runners }, async () => some)).toMatchObject([
    {
      message: expect.stringContaining('Code runs in runners (gVisor), 4 free of 6, which keep these apart: network,'),
      mend: expect.stringContaining('in the image of the runners'),
    },
  ]);
  const none: Strength = { rung: 'none', layers: [], why: 'No runner was free.' };
  expect(await checkSandbox({ sandbox: runners }, async () => none)).toMatchObject([
    { level: 'warning', message: 'No code runs. No runner was free.', mend: expect.stringContaining('their logs') },
  ]);
});
