import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { digitsOf } from '#domain/cell/cell.ts';
import { findFreePort } from './free-port.ts';
import { freshHome, type Home } from './fresh-home.ts';
import type { ScriptedModel } from './scripted-model.ts';
import { spawnService, WEBHOOK_SECRET } from './service.ts';
import { waitFor } from './wait-for.ts';

/** The same in all cells, so that secrets can be read after a move. */
const SECRETS_KEY = 'ab'.repeat(32);

export type RunningCell = Awaited<ReturnType<typeof startCell>>;

/** One cell: a home with a database, and a replica as a separate process. */
export async function startCell(
  cell: number,
  model: ScriptedModel,
  more: Record<string, string> = {},
  { shared = false }: { readonly shared?: boolean } = {},
) {
  const home = await freshHome({ shared });
  const env = cellEnv(cell, home, model, more);
  const service = await spawnService(env);
  const webhookUrl = await waitFor(
    'the webhook channel',
    async () => /The webhook channel is at (http[^\s"]+)/.exec(service.output())?.[1],
  );
  return {
    ...service,
    cell,
    home,
    env,
    webhookUrl,
    /** Starts another replica of the cell. */
    spawn: () => spawnService(env),
    remove: async () => {
      await service.kill('SIGTERM');
      await home.remove();
    },
  };
}

const cellEnv = (cell: number, { env }: Home, { url }: ScriptedModel, more: Record<string, string>) => ({
  ...env,
  CELL: String(cell),
  SECRETS_KEY,
  LLM_PROVIDER: 'openai-compatible',
  LLM_MODEL: 'scripted',
  LLM_CONTEXT_TOKENS: '100000000',
  LLM_BASE_URL: url,
  HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET,
  TRUSTED_PROXIES: '127.0.0.1',
  LOG_LEVEL: 'info',
  ...more,
});

/** The cell that gave an answer: request ids carry it. */
export const answeredBy = ({ headers }: Response): number =>
  Number.parseInt(headers.get('x-request-id')?.slice(-3) ?? '', 16);

export const NGINX = '/usr/sbin/nginx';

/** The router of deploy/ with a real nginx in front of cells. Only names, ports and the number of cells differ, and TLS is off. */
export async function startRouter(cells: readonly Pick<RunningCell, 'cell' | 'url' | 'webhookUrl'>[]) {
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-router-'));
  const [gateway, webhook, plain] = [await findFreePort(), await findFreePort(), await findFreePort()];
  await writeFile(path.join(folder, 'config'), configure(folder, cells, { gateway, webhook, plain }));
  const child = spawn(NGINX, ['-p', folder, '-c', 'config', '-e', 'stderr'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
  const exited = once(child, 'exit');
  await waitFor('nginx to listen', () => listens(child, `http://127.0.0.1:${gateway}`, () => output));
  return {
    url: `http://127.0.0.1:${gateway}`,
    webhookUrl: `http://127.0.0.1:${webhook}`,
    output: () => output,
    close: async () => {
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}

async function listens(child: ChildProcess, url: string, output: () => string): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`nginx exited:\n${output()}`);
  return fetch(url).then(
    () => true,
    () => false,
  );
}

/** Adds a cell to the two places of the example, as its comments say. */
const listCell = (example: string, digits: string): string =>
  example
    .replace(`'~^/?002'        002;\n`, `$&    '~^/?${digits}'        ${digits};\n`)
    .replace(/upstream gateway_002 {[^}]+}\n/, (block) => `${block}\n${block.replace('002', digits)}`)
    .replace(/upstream webhook_002 {[^}]+}\n/, (block) => `${block}\n${block.replace('002', digits)}`);

type Ports = { readonly gateway: number; readonly webhook: number; readonly plain: number };

function configure(
  folder: string,
  cells: readonly Pick<RunningCell, 'cell' | 'url' | 'webhookUrl'>[],
  { gateway, webhook, plain }: Ports,
): string {
  let example = readFileSync('deploy/nginx/cells.conf', 'utf8')
    .replace('listen 80;', `listen 127.0.0.1:${plain};`)
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${gateway};`)
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${webhook};`)
    .replaceAll(/ +ssl_certificate.*\n/g, '')
    .replaceAll(/(agent|hooks)\.example\.com/g, '127.0.0.1')
    .replaceAll('Host $host;', 'Host $http_host;'); // nginx leaves the port out, and the ports here are unusual
  for (const { cell, url, webhookUrl } of cells) {
    if (!example.includes(`upstream gateway_${digitsOf(cell)} `)) example = listCell(example, digitsOf(cell));
    example = example
      .replace(new RegExp(`(upstream gateway_${digitsOf(cell)} {\\s+server )[^;]+`), `$1${new URL(url).host}`)
      .replace(new RegExp(`(upstream webhook_${digitsOf(cell)} {\\s+server )[^;]+`), `$1${new URL(webhookUrl).host}`);
  }
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ');
  return `daemon off; user root; pid ${folder}/pid; events {} http { access_log off; ${temporary}\n${example}\n}`;
}
