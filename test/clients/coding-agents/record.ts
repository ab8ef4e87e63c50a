import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { freshHome } from '../../support/fresh-home.ts';
import { startScriptedModel } from '../../support/scripted-model.ts';
import { startService, TOKEN } from '../../support/service.ts';
import { codex, type Folders, opencode, type Program } from './programs.ts';

/*
 * `npm run compatibility:agents`: installs both programs under `node_modules/.cache` (760 MB, needs the npm registry), runs them
 * against a service with the scripted model, and records the last request of each, which CI sends again.
 */
const CACHE = path.resolve('node_modules/.cache/coding-agents');
const run = promisify(execFile);

/** Without the npm settings of this project, which `npm run` passes on. */
const BARE_ENV = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));

await install([codex, opencode]);
for (const program of [codex, opencode]) await tryOut(program);

async function install(programs: readonly Program[]): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  await writeFile(path.join(CACHE, 'package.json'), '{"private":true}');
  const packages = programs.map(({ package: name, version }) => `${name}@${version}`);
  await run('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: CACHE, env: BARE_ENV });
}

/** A text, a tool, and two parallel tools. The last conversation is recorded. */
async function tryOut(program: Program): Promise<void> {
  await using running = new AsyncDisposableStack();
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'coding-agent-')));
  running.defer(() => rm(folder, { recursive: true, force: true }));
  const folders = { home: path.join(folder, 'home'), project: path.join(folder, 'project') };
  for (const made of Object.values(folders)) await mkdir(made);
  await writeFile(path.join(folders.project, 'one.txt'), 'snow in Oslo');
  await writeFile(path.join(folders.project, 'two.txt'), 'sun in Rome');

  const { url, bodies } = await startRecorder(await startWithModel(program, running), running);
  const ask = await createAsk(program, folders, `${url}/v1`);
  assert.match(await ask('say hello there'), /hello there/);
  assert.match(await ask(program.read('one.txt')), /result: [^]*snow in Oslo/);
  assert.match(await ask(`${program.read('one.txt')}\n${program.read('two.txt')}`), /result: [^]*sun in Rome/);

  const last = bodies.findLast((body) => body.includes('"tools"')) ?? ''; // others only ask for a title
  const recorded = JSON.stringify({ version: program.version, body: JSON.parse(last, maskProse) as unknown }, null, 1)
    .replaceAll(folders.project, '/project')
    .replaceAll(folders.home, '/home/user');
  await writeFile(path.join(import.meta.dirname, `${program.package.replace(/.*\//, '')}.json`), `${recorded}\n`);
  console.log(`${program.name} ${program.version}: ${bodies.length} requests, the last with ${last.length} characters`);
}

/** A recording has the sizes of the maker's prompts and descriptions, and not their texts. */
function maskProse(_key: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > 200 ? 'x'.repeat(Buffer.byteLength(value)) : value;
}

async function startWithModel({ settings }: Program, running: AsyncDisposableStack): Promise<string> {
  const model = await startScriptedModel();
  running.defer(() => model.close());
  const home = await freshHome();
  running.defer(() => home.remove());
  const service = await startService({
    ...home.env,
    ...settings,
    LLM_PROVIDER: 'openai-compatible',
    LLM_MODEL: 'scripted',
    LLM_BASE_URL: model.url,
  });
  running.defer(() => service.close());
  return service.url;
}

/** Passes requests on to the service, and keeps their bodies. */
async function startRecorder(service: string, running: AsyncDisposableStack) {
  const bodies: string[] = [];
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request);
    const { authorization = '' } = request.headers;
    const headers = { authorization, 'content-type': 'application/json' };
    if (body) bodies.push(body);
    const answer = await fetch(service + request.url, { method: request.method ?? '', headers, ...(body && { body }) });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    await pipeline(answer.body ?? [], response);
  }
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy()); // some clients leave at the last event
  });
  server.listen(0, '127.0.0.1');
  running.defer(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

/** Starts the program with a prompt, and resolves with what it printed. */
async function createAsk(program: Program, folders: Folders, baseURL: string) {
  const command = await program.configure(folders, baseURL);
  const { home, project } = folders;
  const env = { PATH: process.env['PATH'], HOME: home, REBORN_TOKEN: TOKEN, ...command.env };
  return async (prompt: string): Promise<string> => {
    const file = path.join(CACHE, 'node_modules/.bin', command.program);
    const started = run(file, command.arguments, { cwd: project, env, timeout: 120_000 });
    started.child.stdin?.end(prompt);
    const { stdout } = await started;
    return stdout;
  };
}
