import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildTool } from '@reborn-agent/tool/build-tool';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, openChromium } from '../browser/open-chromium.ts';
import { BARE_ENV } from '../support/bare-env.ts';
import { freshHome } from '../support/fresh-home.ts';
import { TOKEN, textOf, type WireResponse, webhookClientOf } from '../support/service.ts';
import {
  canBecome,
  findBundled,
  installPackage,
  openInstalled,
  type Person,
  sizeWithDependencies,
} from './installed.ts';

const NOBODY = 65_534;

let installation: Awaited<ReturnType<typeof installPackage>>;

beforeAll(async () => {
  installation = await installPackage();
});

afterAll(() => installation.remove());

describe.each([
  ['the user of the tests', undefined],
  ['an ordinary user', { uid: NOBODY, gid: NOBODY }],
])('installed in an empty folder and started for the first time by %s', (_, person) => {
  describe.runIf(canBecome(person))('gives a first answer', () => {
    firstAnswers(person);
  });
});

/** One start for all of them, as a person would. */
function firstAnswers(person: Person): void {
  let opened: Awaited<ReturnType<typeof openInstalled>>;

  beforeAll(async () => {
    opened = await openInstalled(installation.installed, person);
  });
  afterAll(() => opened.close());

  test('in the terminal', async () => {
    await opened.terminal.type('hello from the terminal');
    await opened.terminal.press('Enter');
    expect(await opened.terminal.sees('You said: “hello from the terminal”')).toContain('demo model');
  });

  test.runIf(existsSync(CHROMIUM))('in the browser, by the link that the terminal shows', async () => {
    const browser = await openChromium();
    try {
      const page = await browser.open();
      await page.goto(opened.login);
      await page.getByRole('button', { name: 'Sign in with this link' }).click();
      const box = page.getByRole('textbox', { name: 'Message' });
      await box.fill('hello from the browser');
      await box.press('Enter');
      await page.getByText('You said: “hello from the browser”').first().waitFor();
      expect(page.problems).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  test('by curl', async () => {
    const body = JSON.stringify({ model: 'reborn', input: 'hello by curl' });
    const headers = [`authorization: Bearer ${TOKEN}`, 'content-type: application/json'];
    const words = ['-sS', '--fail', '--data', body, ...headers.flatMap((header) => ['--header', header])];
    const { stdout } = await promisify(execFile)('curl', [...words, `${opened.gateway}/api/v1/responses`]);
    expect(textOf(JSON.parse(stdout) as WireResponse)).toContain('You said: “hello by curl”');
  });

  test("by OpenAI's own client", async () => {
    const client = new OpenAI({ baseURL: `${opened.gateway}/api/v1`, apiKey: TOKEN });
    const { output_text } = await client.responses.create({ model: 'reborn', input: 'hello by SDK' });
    expect(output_text).toContain('You said: “hello by SDK”');
  });

  test('by webhook', async () => {
    const webhook = webhookClientOf(opened.webhook);
    const job = await webhook.completed(await webhook.submit({ message: 'hello by webhook' }));
    expect(job.response).toContain('You said: “hello by webhook”');
  });

  test('and stops on request', async () => {
    await opened.terminal.press('C-c');
    expect(await opened.terminal.exited()).toEqual({ code: 0 });
  });
}

test('the package has everything it needs and nothing else from the checkout', async () => {
  const files = installation.files.map((file) => file.path);
  const manifest = JSON.parse(await readFile(path.join(installation.installed, 'package.json'), 'utf8'));

  expect(files).toEqual(
    expect.arrayContaining([
      'bin/reborn.js',
      'LICENSE',
      'man/reborn.1',
      'wit/tool.wit',
      'migrations/0100-baseline.js',
      'src/sandbox/inside/runner.py',
      'web/dist/index.html',
    ]),
  );
  expect(files).toEqual(expect.arrayContaining(['THIRD-PARTY-NOTICES.md', 'sbom.cdx.json']));
  expect(files.filter((file) => /\.test\.|node_modules|^(test|bench|scripts)\//.test(file))).toEqual([
    'sdk/template/src/tool.test.ts',
  ]);
  expect(manifest).not.toHaveProperty('private');
  expect(manifest).not.toHaveProperty('devDependencies');
  expect(manifest).not.toHaveProperty('scripts');
});

test('npm installs only native code, in exact versions, and an installation works without it', async () => {
  const manifest = JSON.parse(await readFile(path.join(installation.installed, 'package.json'), 'utf8'));
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8'));
  const { optionalDependencies: builds } = packages['node_modules/@napi-rs/keyring'];

  expect(manifest).not.toHaveProperty('dependencies');
  expect(Object.keys(manifest.optionalDependencies)).toEqual([
    '@napi-rs/keyring',
    ...Object.keys(JSON.parse(await readFile('package.json', 'utf8')).optionalDependencies),
  ]);
  for (const version of Object.values({ ...manifest.optionalDependencies, ...builds }))
    expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
});

test('an installation takes less than 125 MB, PostgreSQL included', async () => {
  expect(await sizeWithDependencies(installation.installed)).toBeLessThan(125e6);
});

test('the bill of materials lists every dependency, bundled or not, with its licence and what it needs', async () => {
  const bom = JSON.parse(await readFile(path.join(installation.installed, 'sbom.cdx.json'), 'utf8'));
  const checkout = JSON.parse(await readFile('package.json', 'utf8'));
  const named = (bom.components as { name: string }[]).map(({ name }) => name);

  expect(bom.bomFormat).toBe('CycloneDX');
  expect(named).toEqual(expect.arrayContaining(Object.keys(checkout.dependencies)));
  const native = (bom.components as { purl: string }[]).map(({ purl }) => purl).filter((purl) => /generic/.test(purl));
  expect((bom.components as { licenses?: unknown[] }[]).filter(({ licenses }) => !licenses)).toEqual([]);
  const needs = new Map(
    (bom.dependencies as { ref: string; dependsOn: string[] }[]).map((each) => [each.ref, each.dependsOn]),
  );
  expect(needs.get('node_modules/fastify')).toContain('node_modules/avvio');
  expect(needs.get(bom.metadata.component['bom-ref'])).toContain('node_modules/fastify');
  const refs = (bom.components as { 'bom-ref': string }[]).map((component) => component['bom-ref']);
  expect([...needs.values()].flat().filter((ref) => !refs.includes(ref))).toEqual([]);
  expect(native).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^pkg:generic\/postgresql@18\.\d+$/),
      expect.stringMatching(/^pkg:generic\/openssl@\d/),
      expect.stringMatching(/^pkg:generic\/icu@\d/),
      expect.stringMatching(/^pkg:generic\/libxml2@2\.\d+\.\d+$/),
    ]),
  );
});

test('the notices include the licence of everything bundled with the program and the browser app', async () => {
  const notices = await readFile(path.join(installation.installed, 'THIRD-PARTY-NOTICES.md'), 'utf8');
  const sections = notices.split(/^## /m);
  const inProgram = await findBundled(installation.installed);

  expect(inProgram).toEqual(expect.arrayContaining(['fastify', 'pg', 'zod']));
  for (const name of [...inProgram, 'react', 'micromark', 'shiki', 'clsx']) {
    const section = sections.find((each) => `, ${each}`.includes(`, ${name} `)) ?? '';
    expect([name, section]).toEqual([
      name,
      expect.stringMatching(
        /permission (is hereby granted|to use)|apache license|redistribution and use|blue oak model license/i,
      ),
    ]);
  }
});

test('a tool is checked, installed and called', async () => {
  const { path: wasm } = await buildTool('examples/custom-tool');
  const home = await freshHome();
  const program = path.join(installation.installed, 'bin/reborn.js');
  const installed = spawnSync(process.execPath, [program, 'tool', 'install', wasm, '--yes'], {
    env: { ...BARE_ENV, ...home.env },
    encoding: 'utf8',
  });
  const asked = spawnSync(process.execPath, [program, 'ask', 'call count_words {"text": "one two three"}'], {
    env: { ...BARE_ENV, ...home.env },
    encoding: 'utf8',
    input: '',
  });
  await home.remove();

  expect(installed).toMatchObject({ status: 0, stderr: '' });
  expect(asked.stdout).toContain('{"words":3}');
});

test('a Node that is too old is refused with one sentence', async () => {
  const launcher = await readFile(path.join(installation.installed, 'bin/reborn.js'), 'utf8');
  const pretend = `Object.defineProperty(process, 'version', { value: 'v20.1.0' });
    Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } });\n`;
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', pretend + launcher.slice(launcher.indexOf('\n'))],
    {
      encoding: 'utf8',
    },
  );

  expect(status).toBe(1);
  expect(stderr).toBe('reborn needs Node 24.21 or later, but this is v20.1.0; install a newer one.\n');
});

test('a new tool finds its kit, and a build without a compiler says what to install', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-package-tool-'));
  const reborn = (...words: string[]) =>
    spawnSync(process.execPath, [path.join(installation.installed, 'bin/reborn.js'), ...words], { encoding: 'utf8' });

  expect(reborn('tool', 'new', path.join(folder, 'stars')).status).toBe(0);
  expect(reborn('tool', 'test', path.join(folder, 'stars'))).toMatchObject({ status: 0 });
  await rm(path.join(folder, 'stars/node_modules'), { recursive: true }); // as after a clone
  expect(reborn('tool', 'test', path.join(folder, 'stars'))).toMatchObject({ status: 0 });
  expect(reborn('tool', 'build', path.join(folder, 'stars')).stderr).toMatch(
    /`npm install --prefix ".*" componentize-qjs@\S+ rolldown@\S+`/,
  );
  await rm(folder, { recursive: true });
});
