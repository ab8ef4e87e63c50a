import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { announceService } from '#cli/connect/running-service.ts';
import { BARE_ENV } from '../support/bare-env.ts';
import { compiledProgram } from '../support/compiled-program.ts';
import { freshHome } from '../support/fresh-home.ts';
import { startService, WEBHOOK_SECRET } from '../support/service.ts';
import { type CodeBlock, findBlocks } from './code-blocks.ts';
import { readPages } from './pages.ts';
import { runPage } from './run-page.ts';

const blocks = readPages().flatMap(findBlocks);
const marked = (kind: string) => blocks.filter(({ note }) => note?.kind === kind);
const unmarked = blocks.filter(({ note }) => note === undefined);

const RUN = ['sh', 'bash', 'js', 'ts'];
const OUTPUT = ['', 'text', 'console'];

/** Commands that would change the checkout or the machine. They never run, even if the page does not mark them. */
const HARMFUL = /\b(npm (ci|install|run)|npx|sudo|apt|git clone|docker|kubectl|helm|service install|reborn serve)\b/;

const pagesToRun = Object.entries(
  Object.groupBy(
    blocks.filter((block) => block.note?.kind === 'file' || isRun(block)),
    ({ page }) => page,
  ),
);

const running = new AsyncDisposableStack();
let folder: string;
let env: Record<string, string>;
let localize: (code: string) => string;

beforeAll(async () => {
  const home = await freshHome();
  running.defer(() => home.remove());
  // Without a configured token, the service generates one and stores it where the pages say.
  const service = await startService({
    ...home.env,
    HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET,
    SERVICE_REBORN_WEBUI_TOKEN: '',
  });
  running.defer(() => service.close());
  const { replica } = (await (await service.request('/healthz')).json()) as { replica: string };
  running.defer(await announceService(home.home, { url: service.url, replica }));

  const personal = await mkdtemp(path.join(tmpdir(), 'reborn-docs-'));
  running.defer(() => rm(personal, { recursive: true }));
  await symlink(home.home, path.join(personal, '.reborn'));

  const [node, program] = await compiledProgram();
  await mkdir(path.join(personal, 'bin'));
  await symlink(program, path.join(personal, 'bin/reborn'));

  folder = path.join(personal, 'pages');
  await mkdir(folder);
  await symlink(path.resolve('node_modules'), path.join(folder, 'node_modules'));
  env = {
    ...BARE_ENV,
    ...home.env,
    HOME: personal,
    PATH: [path.join(personal, 'bin'), path.dirname(node), process.env['PATH']].join(':'),
    HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET,
  };
  localize = (code) =>
    code
      .replaceAll(/\b(?:127\.0\.0\.1|localhost):3000\b/g, new URL(service.url).host)
      .replaceAll('127.0.0.1:8080', new URL(service.webhook.url).host);
});

afterAll(() => running.disposeAsync());

test('every block runs, is data, or says why it does not run', () => {
  const unknown = unmarked.filter(({ language }) => ![...RUN, ...OUTPUT, 'json'].includes(language));

  expect(unknown.map(locationOf)).toEqual([]);
  expect(unmarked.filter(({ code, language }) => RUN.includes(language) && HARMFUL.test(code)).map(locationOf)).toEqual(
    [],
  );
  expect(marked('not run').filter(({ note }) => (note?.text.length ?? 0) < 10)).toEqual([]);
});

test.each(unmarked.filter(({ language }) => language === 'json'))('$page:$line is JSON', ({ code }) => {
  expect(() => JSON.parse(code) as unknown).not.toThrow();
});

test.each(marked('from'))('$page:$line is still in $note.text', async ({ code, note }) => {
  expect(flat(await readFile(note?.text ?? '', 'utf8'))).toContain(flat(code));
});

test.each(pagesToRun)(
  'the blocks of %s run',
  async (page, found = []) => {
    const localized = found.map((block) => ({ ...block, code: localize(block.code) }));

    expect(await runPage(localized, { folder: path.join(folder, page), env })).toBeUndefined();
  },
  180_000,
);

function isRun({ language, code, note }: CodeBlock): boolean {
  return !note && RUN.includes(language) && !HARMFUL.test(code);
}

const locationOf = ({ page, line, language }: CodeBlock) => `${page}:${line} (${language})`;

const flat = (code: string) => code.replaceAll(/\s+/g, ' ').trim();
