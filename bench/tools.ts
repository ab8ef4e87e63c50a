import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { buildTool } from '@reborn-agent/tool/build-tool';
import { createLocalHost } from '@reborn-agent/tool/local-host';
import { buildShout } from '../examples/tools/shout/build.ts';
import { tool as weather } from '../examples/tools/weather/src/tool.ts';
import { prepareComponent } from '../src/tools/component/install/prepare-component.ts';
import { type ComponentFiles, DEFAULT_LIMITS, type HostImports } from '../src/tools/component/jail/jail-call.ts';
import { createJails } from '../src/tools/component/jail/jails.ts';

/** The cost that a jail adds to a call, compared with the same function in plain JavaScript and the same component in this process. */
const SAMPLES = 500;
const WARM_UP = 50;
const AT_ONCE = 16;

type Subject = {
  readonly name: string;
  readonly wasm: Uint8Array;
  readonly params: string;
  readonly plain: () => unknown;
  /** Whether it runs without WASI, and so can be called in this process. */
  readonly here: boolean;
};

const AIR = { current: { european_aqi: 34, pm2_5: 8.1, pm10: 14.2 } };
const host: HostImports = {
  httpRequest: async () => ({ status: 200, body: Buffer.from(JSON.stringify(AIR)) }),
  secretExists: () => false,
};
const weatherHost = createLocalHost({ http: () => ({ json: AIR }) });
const AIR_QUALITY = { action: 'get_air_quality', lat: 52.5, lon: 13.4 };
const TEXT = { text: 'shout it out loud '.repeat(10) };

const subjects: Subject[] = [
  {
    name: 'shout, C',
    wasm: await readFile(await buildShout()),
    params: JSON.stringify(TEXT),
    plain: () => JSON.stringify({ text: (JSON.parse(JSON.stringify(TEXT)) as typeof TEXT).text.toUpperCase() }),
    here: true,
  },
  {
    name: 'weather, TypeScript on QuickJS, one request',
    wasm: await readFile((await buildTool('examples/tools/weather')).path),
    params: JSON.stringify(AIR_QUALITY),
    plain: () => weatherHost.call(weather, AIR_QUALITY),
    here: false,
  },
];

console.log(`Node ${process.version}, ${availableParallelism()} cores; milliseconds`);
for (const subject of subjects) await measure(subject);

async function measure({ name, wasm, params, plain, here }: Subject): Promise<void> {
  const started = performance.now();
  const { hash, files } = await prepareComponent(wasm);
  console.log(`\n${name}: install ${(performance.now() - started).toFixed(0)}`);
  report('plain JavaScript', await sample(async () => plain()));
  if (here) report('in this process', await sample(await callHere(files, params)));

  const jails = createJails();
  const { signal } = new AbortController();
  const load = async (): Promise<ComponentFiles> => files;
  const call = () => jails.call({ name, hash, load }, { params, host, limits: DEFAULT_LIMITS, signal });
  const cold = await timed(call);
  report('jailed', await sample(call));
  const oneWorker = childMemory();
  const rate = await callsPerSecond(call);
  console.log(`  cold start ${cold.toFixed(0)}; ${rate.toFixed(0)} calls/s, ${AT_ONCE} at once`);
  console.log(`  memory ${oneWorker} MB with one thread, ${childMemory()} MB with eight`);
  await jails.close();
}

/** The component is trusted, so its code may run in this process here. */
async function callHere(files: ComponentFiles, params: string): Promise<() => Promise<unknown>> {
  const source = Buffer.from(files['tool.js'] ?? []).toString('base64');
  const { instantiate } = (await import(`data:text/javascript;base64,${source}`)) as {
    instantiate: (
      load: unknown,
      imports: unknown,
      instantiate: unknown,
    ) => Promise<{ execute(request: unknown): Promise<unknown> }>;
  };
  const modules = new Map(
    await Promise.all(
      Object.entries(files)
        .filter(([file]) => file.endsWith('.wasm'))
        .map(async ([file, bytes]) => [file, await WebAssembly.compile(bytes)] as const),
    ),
  );
  const imports = {
    'reborn:tool/host': { log: () => {}, httpRequest: async () => {}, secretExists: async () => false },
  };
  return async () => {
    const instance = await instantiate(
      (file: string) => modules.get(file),
      imports,
      (module: WebAssembly.Module, given: object = {}) => new WebAssembly.Instance(module, given),
    );
    return instance.execute({ params });
  };
}

async function sample(call: () => Promise<unknown>): Promise<number[]> {
  for (let count = 0; count < WARM_UP; count++) await call();
  const times: number[] = [];
  for (let count = 0; count < SAMPLES; count++) times.push(await timed(call));
  return times.toSorted((a, b) => a - b);
}

async function timed(call: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await call();
  return performance.now() - started;
}

async function callsPerSecond(call: () => Promise<unknown>): Promise<number> {
  const runMany = async (count: number) => {
    for (let done = 0; done < count; done++) await call();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, () => runMany(5)));
  const started = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, () => runMany(50)));
  return (AT_ONCE * 50 * 1000) / (performance.now() - started);
}

function report(what: string, sorted: readonly number[]): void {
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1]?.toFixed(3);
  console.log(`  ${what}: p50 ${at(0.5)}, p99 ${at(0.99)}`);
}

/** The resident memory, in megabytes, of the processes that this one has started, and of their children, from /proc. */
function childMemory(): number {
  const all = readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .map((pid) => ({ pid, status: readStatus(pid) }));
  const childrenOf = (parent: string): string[] =>
    all
      .filter(({ status }) => status.includes(`\nPPid:\t${parent}\n`))
      .flatMap(({ pid, status }) => [status, ...childrenOf(pid)]);
  const statuses = childrenOf(String(process.pid));
  const kilobytes = statuses.map((status) => Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0));
  return Math.round(kilobytes.reduce((sum, size) => sum + size, 0) / 1024);
}

function readStatus(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return ''; // it has just ended
  }
}
