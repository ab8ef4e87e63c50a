import { execFile, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { promisify } from 'node:util';
import type { Sandbox, SandboxFile } from '../src/sandbox/sandbox.ts';
import { createSandboxes } from '../src/sandbox/sandboxes.ts';
import { freshHome } from '../test/support/fresh-home.ts';
import { startScriptedModel } from '../test/support/scripted-model.ts';
import { startService } from '../test/support/service.ts';
import { saveResult } from './results/save-result.ts';

/** What a sandbox costs beside a bare process, and what a neighbour notices of an attack. */
const SAMPLES = 200;
const AT_ONCE = 50;
const ROUNDS = 25;
const HOARDERS =
  'for i in $(seq 40); do python3 -c "b=bytearray(400<<20); b[::4096]=b\'x\'*len(b[::4096])" & done; wait';
const ATTACKS = {
  bare_loop: () => startBareLoop(),
  endless_loop: () => startAttack('while :; do :; done'),
  fork_bomb: () => startAttack(':(){ :|:& };:; sleep 60'),
  memory_in_many_processes: () => startAttack(HOARDERS),
};
const { signal } = new AbortController();
const on = { progress: () => {}, signal };
const sandboxes = createSandboxes({ sizes: { inUse: 2 * AT_ONCE, warm: 1, idleMs: 60_000 } });
let opened = 0;

const open = (files: readonly SandboxFile[] = []): Promise<Sandbox> =>
  sandboxes.open({ workspace: `bench-${++opened}`, version: 1 }, listed(files), signal);
const shell = (sandbox: Sandbox, command: string, timeoutMs = 60_000) =>
  sandbox.run({ kind: 'shell', command, timeoutMs }, on);
const python = (sandbox: Sandbox, code: string) => sandbox.run({ kind: 'python', code, timeoutMs: 60_000 }, on);

const machine = { cores: availableParallelism(), load_average: loadavg()[0] };
await sandboxes.strength();
// A part by its name, or all. The second one compares within a run, so other work on the machine matters less.
const chosen = process.argv.slice(2).find((given) => !given.startsWith('-'));
const parts = { sandbox: measureCosts, 'sandbox-shared': measureShared };
for (const [name, measure] of Object.entries(parts)) {
  if (chosen !== undefined && chosen !== name) continue;
  const results = { ...machine, ...(await measure()) };
  console.log(JSON.stringify(results, undefined, 2));
  saveResult(name, { results });
}
await sandboxes.close();

async function measureCosts() {
  return {
    cold_start: await measureStarts(),
    warm: await measureCalls(),
    at_once: await measureCrowd(),
    changes: await measureChanges(),
  };
}

async function measureShared() {
  return { committed: await measureCommits(), neighbour: await measureNeighbour() };
}

async function measureStarts() {
  const times: number[] = [];
  for (let count = 0; count < 40; count++) {
    const started = performance.now();
    const sandbox = await open();
    times.push(performance.now() - started);
    await sandbox.discard();
  }
  return { p50_ms: middle(times), p95_ms: share(times, 0.95) };
}

/** CPU of a call: of the guest and of the runner, which is in the runner's own clock, and of this process. */
async function measureCalls() {
  const sandbox = await open();
  const shells = await sample(() => shell(sandbox, 'true'));
  await python(sandbox, '1');
  const pythons = await sample(() => python(sandbox, '1'));
  await sandbox.discard();
  const bare: number[] = [];
  const run = promisify(execFile);
  const before = process.resourceUsage();
  for (let count = 0; count < SAMPLES; count++) {
    const started = performance.now();
    await run('bash', ['-c', 'true']);
    bare.push(performance.now() - started);
  }
  const after = process.resourceUsage();
  const node = (after.userCPUTime + after.systemCPUTime - before.userCPUTime - before.systemCPUTime) / 1000 / SAMPLES;
  const child = await bareCpuMs();
  return {
    shell_true: shells,
    python_1: pythons,
    bare_bash_true: { p50_ms: middle(bare), cpu_ms: child, service_cpu_ms: node },
    shell_cpu_beside_bare: shells.cpu_ms / child,
    shell_cpu_beside_bare_with_service: (shells.cpu_ms + shells.service_cpu_ms) / (child + node),
  };
}

async function sample(call: () => Promise<unknown>) {
  const times: number[] = [];
  const runner = newestRunner();
  for (let count = 0; count < 20; count++) await call();
  const [inside, own] = [treeCpuMs(runner), process.resourceUsage()];
  for (let count = 0; count < SAMPLES; count++) {
    const started = performance.now();
    await call();
    times.push(performance.now() - started);
  }
  const after = process.resourceUsage();
  const node = (after.userCPUTime + after.systemCPUTime - own.userCPUTime - own.systemCPUTime) / 1000;
  return {
    p50_ms: middle(times),
    p95_ms: share(times, 0.95),
    cpu_ms: (treeCpuMs(runner) - inside) / SAMPLES,
    service_cpu_ms: node / SAMPLES,
  };
}

/** The same number of processes, started by a shell whose own CPU time is subtracted. */
async function bareCpuMs(): Promise<number> {
  const script = (body: string) => `for n in $(seq ${SAMPLES}); do ${body}; done; times`;
  const seconds = async (body: string) => {
    const { stdout } = await promisify(execFile)('bash', ['-c', script(body)]);
    return [...stdout.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, m, s]) => sum + Number(m) * 60 + Number(s), 0);
  };
  return ((await seconds('bash -c true')) * 1000) / SAMPLES;
}

async function measureCrowd() {
  const started = performance.now();
  const crowd = await Promise.all(Array.from({ length: AT_ONCE }, () => open()));
  const ready = performance.now() - started;
  const memory = pssMb() / AT_ONCE;
  const again = performance.now();
  await Promise.all(crowd.map((sandbox) => shell(sandbox, 'true')));
  const call = performance.now() - again;
  await Promise.all(crowd.map((sandbox) => sandbox.discard()));
  return { sandboxes: AT_ONCE, ready_ms: ready, pss_mb_each: memory, a_call_in_all_ms: call };
}

async function measureChanges() {
  const bytes = Buffer.alloc(100_000, 'x');
  const files = Array.from({ length: 1000 }, (_, at) => {
    const own = Buffer.concat([bytes, Buffer.from(String(at))]);
    return { path: `d${at % 20}/f${at}`, mode: 0o644, bytes: own, sha256: hash('sha256', own) };
  });
  const filling = performance.now();
  const sandbox = await open(files);
  const fill = performance.now() - filling;
  const times: number[] = [];
  for (let round = 0; round < 20; round++) {
    await shell(sandbox, `echo ${round} | tee d1/f1 d2/f2 d3/f3`);
    const started = performance.now();
    const { files: changed } = await sandbox.changes();
    times.push(performance.now() - started);
    if (changed.length !== 3) throw new Error(`${changed.length} files changed.`);
  }
  await sandbox.discard();
  return { files: 1000, mb: 100, fill_ms: fill, three_changed_p50_ms: middle(times) };
}

/** A call in a service, from its start until its output and its files are committed, beside one that changes nothing. */
async function measureCommits() {
  const [home, model] = await Promise.all([freshHome(), startScriptedModel()]);
  const scripted = {
    LLM_PROVIDER: 'openai-compatible',
    LLM_MODEL: 'scripted',
    LLM_BASE_URL: model.url,
    SANDBOX: 'auto',
  };
  const service = await startService({ ...home.env, ...scripted });
  const get = async <T>(route: string): Promise<T> => (await (await service.request(route)).json()) as T;
  const call = async (command: string, thread?: string) => {
    const message = `use reborn_shell ${JSON.stringify({ command })}`;
    const sent = await service.request('/api/chat', {
      method: 'POST',
      body: JSON.stringify({ message, thread_id: thread }),
    });
    const { thread_id: id } = (await sent.json()) as { thread_id: string };
    const { items } = await get<{ items: { turn_id: string }[] }>(`/api/threads/${id}/items`);
    const { spans } = await get<{ spans: ToolSpan[] }>(`/api/turns/${items.at(-1)?.turn_id}`);
    const { started_at: from = '', ended_at: to = '' } = spans.find(({ kind }) => kind === 'tool') ?? {};
    return { id, ms: Date.parse(to) - Date.parse(from) };
  };
  const fill =
    'for n in $(seq 1000); do mkdir -p d$((n % 20)); (echo $n; head -c 100000 /dev/zero) > d$((n % 20))/f$n; done';
  const { id } = await call(fill);
  const [three, none]: [number[], number[]] = [[], []];
  for (let round = 0; round < 20; round++) {
    three.push((await call(`echo ${round} | tee d1/f1 d2/f2 d3/f3`, id)).ms);
    none.push((await call('true', id)).ms);
  }
  await service.close();
  await Promise.all([model.close(), home.remove()]);
  return { files: 1000, mb: 100, three_changed_p50_ms: middle(three), none_changed_p50_ms: middle(none) };
}

type ToolSpan = { readonly kind: string; readonly started_at: string; readonly ended_at: string };

/**
 * How much longer a neighbour computes while another sandbox is attacked. Other work on the machine changes all the time, so each round
 * has every attack, and each is compared with the moment before it and with the round's control: the same endless loop as a bare
 * process of the same priority.
 */
async function measureNeighbour() {
  const neighbour = await open();
  const compute = async () => (await python(neighbour, 'sum(n * n for n in range(1_000_000))')).ms;
  const work = async () => middle([await compute(), await compute(), await compute()]);
  const rounds: Record<string, { readonly alone: number; readonly attacked: number }>[] = [];
  for (let count = 0; count < ROUNDS; count++) {
    const round: (typeof rounds)[number] = {};
    for (const [name, start] of Object.entries(ATTACKS)) {
      const alone = await work();
      const stop = await start();
      round[name] = { alone, attacked: await work() };
      await stop();
    }
    rounds.push(round);
  }
  await neighbour.discard();
  const compare = (name: string, before: (round: (typeof rounds)[number]) => number | undefined) =>
    middle(rounds.map((round) => (round[name]?.attacked ?? Number.NaN) / (before(round) ?? Number.NaN)));
  return Object.fromEntries(
    Object.keys(ATTACKS).map((name) => [
      name,
      {
        beside_alone_p50: compare(name, (round) => round[name]?.alone),
        beside_bare_loop_p50: compare(name, (round) => round['bare_loop']?.attacked),
      },
    ]),
  );
}

/** Resolves when it runs, to what ends it. */
async function startAttack(command: string): Promise<() => Promise<unknown>> {
  const attacker = await open();
  const begun = Promise.withResolvers<void>();
  const ran = attacker
    .run(
      { kind: 'shell', command: `echo begun; ${command}`, timeoutMs: 60_000 },
      { ...on, progress: () => begun.resolve() },
    )
    .catch((error: unknown) => error); // it is ended
  await begun.promise;
  return async () => {
    await attacker.discard();
    await ran;
  };
}

async function startBareLoop(): Promise<() => Promise<unknown>> {
  const loop = spawn('nice', ['-n', '10', 'bash', '-c', 'echo begun; while :; do :; done'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(loop.stdout, 'data');
  return async () => {
    loop.kill('SIGKILL');
    await once(loop, 'exit');
  };
}

async function* listed<T>(things: readonly T[]): AsyncGenerator<T> {
  yield* things;
}

/** Process 1 of the sandbox that was started last, as this machine numbers it. */
function newestRunner(): string {
  const runners = runnerProcesses().filter((pid) => /^NSpid:.*\t1$/m.test(read(`/proc/${pid}/status`)));
  return runners.toSorted((a, b) => Number(a) - Number(b)).at(-1) ?? '';
}

function runnerProcesses(): string[] {
  return readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && read(`/proc/${name}/cmdline`).includes('pathBytes'),
  );
}

/** Of a process, of its children that have ended, and of those that it still has. */
function treeCpuMs(pid: string): number {
  const fields = read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
  const own = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) * 10;
  const children = read(`/proc/${pid}/task/${pid}/children`).trim().split(' ').filter(Boolean);
  return children.reduce((sum, child) => sum + treeCpuMs(child), own);
}

function pssMb(): number {
  const kilobytes = runnerProcesses().map((pid) =>
    Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0),
  );
  return kilobytes.reduce((sum, size) => sum + size, 0) / 1024;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it has just ended
  }
}

function middle(times: readonly number[]): number {
  return share(times, 0.5);
}

function share(times: readonly number[], part: number): number {
  return times.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(times.length * part) - 1)] ?? 0;
}
