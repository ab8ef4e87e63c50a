import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { inside } from './bubblewrap/start.ts';
import type { RungName } from './rung.ts';
import type { Runner } from './runner.ts';
import type { Facts } from './runner-messages.ts';
import { type Environment, LAYERS, type Layer, type Limits, NoSandbox } from './sandbox.ts';

const PROBE_MS = 60_000;

/** Which layers hold, for the runner and for code of a guest, in a new sandbox. */
export async function findLayers(runner: Runner, rung: RungName, limits: Limits): Promise<Layer[]> {
  const told = layersOf(await runner.ready, rung, limits);
  const namespaces = rung === 'bubblewrap' ? ownNamespaces() : {}; // of another machine they say nothing
  const problems = (await ask(runner, 'look_around()', { limits, rung, namespaces })) as Record<Layer, string | null>;
  return told.filter((layer) => problems[layer] === null);
}

/** Which programs and libraries code can use. Importing them takes seconds. */
export async function listEnvironment(runner: Runner): Promise<Environment> {
  await runner.ready;
  const environment = (await ask(runner, 'list_environment()', {})) as Omit<Environment, 'digest'>;
  return { ...environment, digest: digestOf(environment) };
}

/** The service's own facts, to compare with. */
async function ask(runner: Runner, question: string, more: object): Promise<unknown> {
  const facts = { pid: process.pid, file: import.meta.filename, ...more };
  const code = `FACTS = ${JSON.stringify(JSON.stringify(facts))}\n${inside('probe.py')}\n${question}`;
  const call = { kind: 'python', code, timeoutMs: PROBE_MS } as const;
  const { output, outcome, exitCode } = await runner.run(call, {
    progress: () => {},
    signal: new AbortController().signal,
  });
  if (outcome !== 'exit' || exitCode !== 0)
    throw new NoSandbox(`The probe of the sandbox failed (${outcome}). ${output}`);
  return JSON.parse(output);
}

/** The report of the runner when it starts. So each start is checked, at hardly any cost. */
export function layersOf(facts: Facts, rung: RungName, limits: Limits): Layer[] {
  const holds = rung === 'bubblewrap' ? behindBubblewrap(facts) : inContainer(facts);
  const mostBytes = limits.workspaceBytes + 2 * limits.tmpBytes + 3 * PAGE;
  const all = { ...holds, calls: facts.seccomp === FILTERED, limits: facts.writableBytes <= mostBytes };
  return (Object.keys(LAYERS) as Layer[]).filter((layer) => all[layer]);
}

type Holds = Record<Exclude<Layer, 'calls' | 'limits'>, boolean>;

function inContainer(facts: Facts): Holds {
  return {
    network: facts.devices.length === 0,
    files: facts.readOnly,
    processes: facts.alone,
    privileges: facts.capabilities === '' && facts.noNewPrivileges,
  };
}

/** On the machine of the service, each namespace must be another one as well. */
function behindBubblewrap(facts: Facts): Holds {
  const own = ownNamespaces();
  const isApart = (name: string): boolean =>
    facts.namespaces[name] !== undefined && facts.namespaces[name] !== own[name];
  const { network, files, processes, privileges } = inContainer(facts);
  return {
    network: network && isApart('net'),
    files: files && isApart('mnt'),
    processes: processes && isApart('pid') && isApart('ipc') && facts.pid === 1,
    privileges: privileges && isApart('user'),
  };
}

const PAGE = 65_536; // the largest of arm64
const FILTERED = 2;

function ownNamespaces(): Record<string, string> {
  const names = ['ipc', 'mnt', 'net', 'pid', 'user'];
  return Object.fromEntries(names.map((name) => [name, readlinkSync(`/proc/self/ns/${name}`)]));
}

function digestOf(environment: object): string {
  const parts = [JSON.stringify(environment), inside('runner.py'), inside('interpreter.py')];
  return createHash('sha256').update(parts.join('\0')).digest('hex');
}
