import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installPackage } from '../test/package/installed.ts';
import { findFreePort } from '../test/support/free-port.ts';
import { freshHome, type Home } from '../test/support/fresh-home.ts';
import { startScriptedModel } from '../test/support/scripted-model.ts';
import { SETTINGS, TOKEN } from '../test/support/service.ts';
import type { Ask } from './compare-turns.ts';
import { cpuOf, findPostmaster, postgresCpu } from './process-cost.ts';

const WORDS = Array.from({ length: 64 }, (_, index) => `word${index} `);

export type Server = {
  readonly url: string;
  readonly headers: Record<string, string>;
  /** The CPU time of all its processes, in ms. */
  readonly cpu: () => number;
};

export type Model = Awaited<ReturnType<typeof startScriptedModel>>;

/** A model that answers at once with 64 words; asked for a tool, it calls `reborn_time` first. */
export function startWordyModel(): Promise<Model> {
  return startScriptedModel({
    decide: ({ messages, tools }) => {
      const clock = messages.at(-1)?.text === TOOL ? tools.find((name) => name === 'reborn_time') : undefined;
      return clock ? { calls: [{ name: clock, arguments: '{}' }] } : { pieces: WORDS };
    },
  });
}

/** The input of a turn with a tool call. */
export const TOOL = 'What time is it?';

/** Asks servers over connections that stay open. */
export function createAsking() {
  const agent = new Agent({ keepAlive: true, maxSockets: 512 });

  /** One answer, and the time until its first word. */
  function ask(
    { url, headers }: Pick<Server, 'url' | 'headers'>,
    stream = false,
    input = 'Hello',
  ): Promise<{ first: number }> {
    const started = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<{ first: number }>();
    const sent = request(url, { method: 'POST', agent, headers: { 'content-type': 'application/json', ...headers } });
    sent.on('error', reject).on('response', (response) => {
      let text = '';
      let first = 0;
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (first === 0 && text.includes('word0')) first = performance.now() - started;
      });
      response.on('end', () =>
        text.includes('word63')
          ? resolve({ first })
          : reject(new Error(`${response.statusCode}: ${text.slice(0, 200)}`)),
      );
    });
    sent.end(JSON.stringify({ model: 'm', input, stream }));
    return promise;
  }

  return { ask, close: () => agent.destroy() };
}

/** A compiled program with the time from the start of its process to its first answer, and the CPU time until then. */
export async function startProgram(program: string, home: Home, model: Model, ask: Ask) {
  const port = await findFreePort();
  const started = performance.now();
  const child = spawn(process.execPath, [program, 'serve'], {
    env: {
      PATH: process.env['PATH'],
      ...SETTINGS,
      ...home.env,
      GATEWAY_PORT: String(port),
      LOG_LEVEL: 'warn',
      LLM_PROVIDER: 'openai-compatible',
      LLM_MODEL: 'scripted',
      LLM_BASE_URL: model.url,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const pid = child.pid ?? 0;
  const url = `http://127.0.0.1:${port}/api/v1/responses`;
  const headers = { authorization: `Bearer ${TOKEN}` };
  while (!(await ask({ url, headers, cpu: () => 0 }).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error('The service ended.');
    await sleep(5);
  }
  const start = { milliseconds: performance.now() - started, cpu: cpuOf(pid) };
  const postmaster = await findPostmaster((statement) => home.query(statement));
  const cpu = () => cpuOf(pid) + (postmaster ? postgresCpu(postmaster) : 0);
  return { child, url, headers, pid, start, cpu };
}

/** The packed program and a minimal hand-written server (hand-written.ts), before the same scripted model. */
export async function openServers() {
  const [model, home, installation] = await Promise.all([startWordyModel(), freshHome(), installPackage()]);
  const asking = createAsking();

  async function startHand(): Promise<Server & { readonly child: ChildProcess }> {
    const child = spawn(process.execPath, [path.join(import.meta.dirname, 'hand-written.ts')], {
      env: { MODEL_URL: model.url },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [url] = (await once(child.stdout, 'data')) as [Buffer];
    return { url: url.toString().trim(), headers: {}, cpu: () => cpuOf(child.pid ?? 0), child };
  }

  const close = async () => {
    asking.close();
    await model.close();
    await Promise.all([home.remove(), installation.remove()]);
  };
  const program = path.join(installation.installed, 'bin/reborn.js');
  const startOurs = () => startProgram(program, home, model, asking.ask);
  return { ask: asking.ask, startHand, startOurs, close };
}

export async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill();
  await exited;
}
