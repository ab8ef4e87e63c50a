import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/*
 * node scripts/try-package.ts reborn-agent-0.2.0.tgz
 *
 * Installs a packed release into an empty folder and asks it something. Needs Node and npm only, so that it runs on every
 * system that the package supports; test/package tries more of it, on Linux.
 */

const tarball = path.resolve(process.argv[2] ?? '');
const folder = await mkdtemp(path.join(tmpdir(), 'reborn-try-'));
const home = path.join(folder, 'home');
const port = await findFreePort();
const url = `http://127.0.0.1:${port}`;

await writeFile(path.join(folder, 'package.json'), '{ "private": true }\n');
run('npm install --no-audit --no-fund --loglevel=error', JSON.stringify(tarball));
run('npx --no-install reborn', '--version');

const service = spawn(process.execPath, ['node_modules/reborn-agent/bin/reborn.js', 'serve'], {
  cwd: folder,
  env: { ...process.env, REBORN_HOME: home, GATEWAY_PORT: String(port), LLM_PROVIDER: 'demo' },
  stdio: ['ignore', 'inherit', 'inherit'],
});
const exited = once(service, 'exit');
try {
  await Promise.race([waitUntilReady(), exited.then(() => Promise.reject(new Error('The service exited.')))]);
  await ask('hello');
} finally {
  service.kill('SIGTERM');
  await exited;
}
await rm(folder, { recursive: true, force: true, maxRetries: 5 });
process.stdout.write(`${path.basename(tarball)} works with Node ${process.version} on ${process.platform}.\n`);

async function ask(input: string): Promise<void> {
  const token = (await readFile(path.join(home, 'webui-token'), 'utf8')).trim();
  const answer = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'any', input }),
  });
  const text = await answer.text();
  if (!text.includes(`You said: “${input}”`)) throw new Error(`The answer was ${answer.status} ${text}`);
}

async function waitUntilReady(): Promise<void> {
  for (const end = Date.now() + 120_000; Date.now() < end; await sleep(200)) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.ok) return;
  }
  throw new Error('The service was not ready within two minutes.');
}

/** By a shell, since npm and npx are scripts on Windows. */
function run(...words: string[]): void {
  execFileSync(words.join(' '), { cwd: folder, stdio: 'inherit', shell: true });
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: free } = server.address() as { port: number };
  server.close();
  return free;
}
