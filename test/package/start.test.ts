import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BARE_ENV } from '../support/bare-env.ts';
import { freshHome } from '../support/fresh-home.ts';
import { clientOf, SETTINGS, textOf } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { installPackage, packagesIn } from './installed.ts';

/** The maximum number of files that a start may load. Loading 900 files took half of the start. */
const MOST_MODULES = 40;

/** Modules that some users need at some time, and that load on demand. */
const LATER = [
  '@aws-sdk/client-s3',
  '@ai-sdk/anthropic',
  '@ai-sdk/google',
  '@ai-sdk/openai',
  '@ai-sdk/openai-compatible',
  '@clack/prompts',
  '@earendil-works/pi-tui',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/server',
  '@pydantic/genai-prices',
  '@secretlint/core',
  'jose',
  'openid-client',
  'undici',
];

let installation: Awaited<ReturnType<typeof installPackage>>;
let home: Awaited<ReturnType<typeof freshHome>>;

beforeAll(async () => {
  [installation, home] = await Promise.all([installPackage(), freshHome()]);
});

afterAll(async () => {
  await Promise.all([installation.remove(), home.remove()]);
});

test('a start loads few files and no module that is needed later', async () => {
  await using service = await startRecorded();
  const started = await service.loaded();
  const packages = new Set((await Promise.all(started.map((file) => readFile(file, 'utf8')))).flatMap(packagesIn));

  expect(started.length).toBeLessThanOrEqual(MOST_MODULES);
  expect([...packages]).toEqual(expect.arrayContaining(['fastify', 'pg', 'zod']));
  expect(LATER.filter((name) => packages.has(name))).toEqual([]);
  expect(started.filter((file) => file.includes('/migrations/'))).toEqual([]);

  expect(textOf(await clientOf(service.url).ask('hello'))).toContain('hello');
  expect((await service.loaded()).length).toBeGreaterThan(started.length);
});

test('a second start finds the program compiled', async () => {
  await using service = await startRecorded({ NODE_COMPILE_CACHE: '' });
  await service[Symbol.asyncDispose]();

  expect(await readdir(path.join(home.home, 'compile-cache'), { recursive: true })).not.toEqual([]);
});

async function startRecorded(env: Record<string, string> = {}) {
  const list = path.join(home.home, 'loaded-modules');
  await rm(list, { force: true });
  const child = spawn(process.execPath, [path.join(installation.installed, 'bin/reborn.js'), 'serve'], {
    env: {
      ...BARE_ENV,
      ...SETTINGS,
      ...home.env,
      ...env,
      LOADED_MODULES: list,
      NODE_OPTIONS: `--import=${pathToFileURL(path.join(import.meta.dirname, 'record-modules.ts')).href}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (data) => (output += String(data)));
  const exited = once(child, 'exit');
  const url = await waitFor('the service to listen', async () => {
    if (child.exitCode !== null) throw new Error(`The service exited:\n${output}`);
    return /The gateway is at ([^\s"]+)/.exec(output)?.[1];
  });
  return {
    url,
    loaded: async () =>
      [...new Set((await readFile(list, 'utf8')).trim().split('\n'))].map((each) => fileURLToPath(each)),
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await exited;
    },
  };
}
