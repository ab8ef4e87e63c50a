import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChatService } from '../test/terminal/chat-service.ts';
import { openTerminal } from '../test/terminal/tmux.ts';

/**
 * The cost of the chat compared with `cat`: a thread of 2,000 lines is open, and 200 tokens a second arrive for ten seconds,
 * once as numbers and once as code. The service runs in this process, so the other process measures the terminal alone.
 */
const TOKENS = 2000;
const EVERY_MS = 5;
const TICKS_PER_SECOND = 100;

const folder = await mkdtemp(path.join(tmpdir(), 'reborn-bench-'));
const pieces = Array.from({ length: TOKENS }, (_, index) => `${index} `);
const STREAMS: Readonly<Record<string, { readonly pieces: readonly string[]; readonly last: string }>> = {
  numbers: { pieces, last: String(TOKENS - 1) },
  code: { pieces: codePieces(), last: 'The code ends.' },
};
const chat = await startChatService({
  answer(message) {
    const stream = STREAMS[message];
    if (stream) return { pieces: [...stream.pieces], pace: EVERY_MS, steady: true };
    return message === 'long answer' ? { pieces: [longAnswer()] } : undefined;
  },
});
const id = await makeHistory(20);
const record = path.join(folder, 'written');
const terminal = await openTerminal({
  env: chat.env,
  args: ['--thread', id],
  columns: 100,
  rows: 40,
  record,
});
try {
  await terminal.sees('The end.');
  await sleep(500); // until the first screen is drawn
  const pid = await findProcess(id);
  for (const [name, { last }] of Object.entries(STREAMS)) await measure(name, last, pid);
  print('cat', ...(await measureCat(pieces.join(''))));
  await terminal.press('C-c');
  await terminal.exited();
} finally {
  await terminal.close();
  await chat.close();
  await rm(folder, { recursive: true, force: true });
}

async function measure(name: string, last: string, pid: number): Promise<void> {
  const before = { cpu: await cpuOf(pid), bytes: (await stat(record)).size };
  const started = performance.now();
  await terminal.type(name);
  await terminal.press('Enter');
  await terminal.sees(last, 120_000);
  const seconds = (performance.now() - started) / 1000;
  const bytes = (await stat(record)).size - before.bytes;
  print(name, seconds, (await cpuOf(pid)) - before.cpu, bytes);
  const written = (await readFile(record)).subarray(before.bytes, before.bytes + bytes).toString('latin1');
  const [opened, closed] = ['\x1b[?2026h', '\x1b[?2026l'].map((mark) => written.split(mark).length - 1);
  const [load = 0] = loadavg();
  console.log(
    `  ${Math.round(TOKENS / seconds)} tokens per second, load ${load.toFixed(1)}, ${opened} synchronised updates, ${closed} closed`,
  );
}

function print(what: string, seconds: number, cpu: number, bytes: number): void {
  const share = seconds > 1 ? ` (${((100 * cpu) / seconds).toFixed(1)} % of a core)` : '';
  console.log(
    `${what}: ${cpu.toFixed(2)} s of CPU in ${seconds.toFixed(1)} s${share}, ${bytes.toLocaleString('en')} bytes written`,
  );
}

async function measureCat(text: string): Promise<[number, number, number]> {
  const file = path.join(folder, 'text');
  await writeFile(file, text);
  const output = execFileSync('bash', ['-c', `TIMEFORMAT='%R %U %S'; time cat '${file}'`], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const timed = execFileSync('bash', ['-c', `TIMEFORMAT='%R %U %S'; { time cat '${file}' > /dev/null; } 2>&1`]);
  const [real = 0, user = 0, system = 0] = String(timed).trim().split(' ').map(Number);
  return [Math.max(real, 0.001), user + system, Buffer.byteLength(output)];
}

async function findProcess(argument: string): Promise<number> {
  for (const entry of await readdir('/proc')) {
    const words = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '');
    if (/^\d+$/.test(entry) && words.includes('bin/reborn.js') && words.includes(`${argument}\0`)) return Number(entry);
  }
  throw new Error('The chat is not running.');
}

/** The CPU time of the process in seconds. */
async function cpuOf(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Creates a thread with this many long answers. */
async function makeHistory(answers: number): Promise<string> {
  let thread: string | undefined;
  for (let count = 0; count < answers; count++) {
    const body = JSON.stringify({ message: 'long answer', ...(thread && { thread_id: thread }) });
    const response = await chat.service.request('/api/chat', { method: 'POST', body });
    thread = ((await response.json()) as { thread_id: string }).thread_id;
  }
  return thread ?? '';
}

/** A block of TypeScript, in about as many pieces as there are numbers. */
function codePieces(): string[] {
  const lines = Array.from(
    { length: TOKENS / 10 },
    (_, line) => `  const found${line} = await lookUp(list, ${line}, 'a text'); // reason ${line}`,
  );
  return `\`\`\`ts\n${lines.join('\n')}\n\`\`\`\n\nThe code ends.`.split(/(?<= )/);
}

function longAnswer(): string {
  const lines = Array.from(
    { length: 48 },
    (_, line) => `Line ${line} with **bold**, \`code\` and a [link](https://example.com).`,
  );
  return `${lines.join('\n\n')}\n\nThe end.`;
}
