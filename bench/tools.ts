import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { componentize } from 'componentize-qjs';
import { type ComponentFiles, prepareComponent } from '../src/tools/component/install/prepare-component.ts';
import { createJails, DEFAULT_LIMITS, type HostImports } from '../src/tools/component/jail/jails.ts';
import { buildTool } from '../test/attacks/attack-components.ts';

/** What a jail adds to a call: the same component in this process, and the same function as plain JavaScript, beside it. */
const SAMPLES = 500;
const WARM_UP = 50;
const AT_ONCE = 16;
const PARAMS = JSON.stringify({ text: 'x'.repeat(200) });

const SCRIPT = `
  export const schema = () => '{"type":"object"}';
  export const description = () => 'Echoes.';
  export const execute = ({ params }) => ({ output: JSON.stringify(JSON.parse(params)), error: undefined });`;

const host: HostImports = {
  httpRequest: () => Promise.reject(new Error('There is no network in a benchmark.')),
  secretExists: () => false,
};

const { component: quickJs } = await componentize({
  witPath: path.resolve('wit'),
  jsSource: SCRIPT,
  sync: true,
  optSize: true,
});
const tools = [
  { name: 'WebAssembly text, 2 kB', wasm: await buildTool() },
  { name: 'QuickJS, 1 MB', wasm: new Uint8Array(quickJs) },
];

console.log(`Node ${process.version}, ${availableParallelism()} cores; milliseconds`);
report('plain JavaScript', await sample(async () => JSON.stringify(JSON.parse(PARAMS))));
for (const { name, wasm } of tools) await measure(name, wasm);

async function measure(name: string, wasm: Uint8Array): Promise<void> {
  const begun = performance.now();
  const { hash, files } = await prepareComponent(wasm);
  console.log(`\n${name}: install ${(performance.now() - begun).toFixed(0)}`);
  if (name.startsWith('WebAssembly')) report('in this process', await sample(await callHere(files)));

  const jails = createJails();
  const { signal } = new AbortController();
  const load = async (): Promise<ComponentFiles> => files;
  const call = () => jails.call({ name, hash, load }, { params: PARAMS, host, limits: DEFAULT_LIMITS, signal });
  const cold = await timed(call);
  report('jailed', await sample(call));
  const oneWorker = childMemory();
  const rate = await callsPerSecond(call);
  console.log(`  cold start ${cold.toFixed(0)}; ${rate.toFixed(0)} calls/s, ${AT_ONCE} at once`);
  console.log(`  memory ${oneWorker} MB with one thread, ${childMemory()} MB with eight`);
  await jails.close();
}

/** Our own component, so its code may run here for once. */
async function callHere(files: ComponentFiles): Promise<() => Promise<unknown>> {
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
    return instance.execute({ params: PARAMS });
  };
}

async function sample(call: () => Promise<unknown>): Promise<number[]> {
  for (let count = 0; count < WARM_UP; count++) await call();
  const times: number[] = [];
  for (let count = 0; count < SAMPLES; count++) times.push(await timed(call));
  return times.toSorted((a, b) => a - b);
}

async function timed(call: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await call();
  return performance.now() - begun;
}

async function callsPerSecond(call: () => Promise<unknown>): Promise<number> {
  const runMany = async (count: number) => {
    for (let done = 0; done < count; done++) await call();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, () => runMany(5)));
  const begun = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, () => runMany(50)));
  return (AT_ONCE * 50 * 1000) / (performance.now() - begun);
}

function report(what: string, sorted: readonly number[]): void {
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1]?.toFixed(3);
  console.log(`  ${what}: p50 ${at(0.5)}, p99 ${at(0.99)}`);
}

/** Resident megabytes of the processes that this one has started, from /proc. */
function childMemory(): number {
  const statuses = readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .map(readStatus)
    .filter((status) => status.includes(`\nPPid:\t${process.pid}\n`));
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
