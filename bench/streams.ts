import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshHome } from '../test/support/fresh-home.ts';
import { readStream } from '../test/support/read-stream.ts';
import { startScriptedModel } from '../test/support/scripted-model.ts';
import { clientOf, SETTINGS } from '../test/support/service.ts';
import { waitFor } from '../test/support/wait-for.ts';

/**
 * (1) A thousand open streams on one process: 500 turns at 5 tokens a second for 30 s, each watched twice.
 * (2) The time to first token that the service adds, compared with a bare proxy to the same model.
 */
const TURNS = 500;
const TOKENS = 150;
const PACE_MS = 200;
const SAMPLES = 100;

const [model, home] = await Promise.all([startScriptedModel(), freshHome()]);
const child = spawn(path.resolve('bin/reborn'), ['serve'], {
  env: {
    PATH: process.env['PATH'],
    ...SETTINGS,
    ...home.env,
    LLM_PROVIDER: 'openai-compatible',
    LLM_MODEL: 'scripted',
    LLM_BASE_URL: model.url,
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let output = '';
child.stdout.on('data', (data) => (output += String(data)));
const url = await waitFor('the service to listen', async () => /The gateway is at (\S+)/.exec(output)?.[1], 60_000);
const service = clientOf(url);

const percentile = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1]?.toFixed(1);

/** Milliseconds until the first token of an answer arrives. */
async function firstToken(request: () => Promise<Response>): Promise<number> {
  const started = performance.now();
  const response = await request();
  const decoder = new TextDecoder();
  let seen = '';
  for await (const part of response.body ?? []) {
    seen += decoder.decode(part as Uint8Array, { stream: true });
    if (seen.includes('"delta":"0 "') || seen.includes('"content":"0 "')) break;
  }
  return performance.now() - started;
}

const proxy = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    void fetch(`${model.url}/chat/completions`, { method: 'POST', body: Buffer.concat(parts) }).then(async (answer) => {
      response.writeHead(answer.status, { 'content-type': 'text/event-stream' });
      for await (const part of answer.body ?? []) response.write(part);
      response.end();
    });
  });
});
proxy.listen(0, '127.0.0.1');
await new Promise((resolve) => proxy.once('listening', resolve));
const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
const prompt = { stream: true, messages: [{ role: 'user', content: 'count 2 every 1' }] };
const throughProxy = () => fetch(proxyUrl, { method: 'POST', body: JSON.stringify(prompt) });
const throughUs = () => service.post({ input: 'count 2 every 1', stream: true });

const bare: number[] = [];
const ours: number[] = [];
for (let i = 0; i < SAMPLES + 20; i++) {
  const [proxied, served] = [await firstToken(throughProxy), await firstToken(throughUs)];
  if (i >= 20) {
    bare.push(proxied);
    ours.push(served);
  }
}
console.log(
  `time to first token, ${SAMPLES} samples: proxy p50 ${percentile(bare, 0.5)} ms, ours p50 ${percentile(ours, 0.5)} ms, p95 ${percentile(bare, 0.95)} and ${percentile(ours, 0.95)} ms`,
);

let highest = 0;
const watching = setInterval(() => {
  const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
  highest = Math.max(highest, Number(rss) / 1024);
}, 500);

async function follow(response: Response): Promise<string> {
  let said = '';
  let ended = false;
  for await (const event of readStream(response)) {
    said += event.delta ?? '';
    ended ||= event.type === 'response.completed';
  }
  return ended ? said : 'lost';
}

const started = performance.now();
const expected = Array.from({ length: TOKENS }, (_, i) => `${i} `).join('');
const results = await Promise.all(
  Array.from({ length: TURNS }, async (_, i) => {
    await sleep(i * 4); // the clients do not all start in the same millisecond
    const { id } = await service.ask(`count ${TOKENS} every ${PACE_MS}`, { background: true });
    const watch = async () => follow(await service.request(`/api/v1/responses/${id}?stream=true`));
    return Promise.all([watch(), watch()]);
  }),
);
clearInterval(watching);
const whole = results.flat().filter((said) => said === expected).length;
console.log(
  `${TURNS} turns, ${results.flat().length} streams: ${whole} whole, ${results.flat().length - whole} lost, ${((performance.now() - started) / 1000).toFixed(0)} s, highest RSS ${highest.toFixed(0)} MB`,
);

child.kill('SIGTERM');
await new Promise((resolve) => child.once('exit', resolve));
proxy.closeAllConnections();
proxy.close();
await model.close();
await home.remove();
