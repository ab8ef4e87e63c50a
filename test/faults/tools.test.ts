import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { buildTool } from '@reborn-agent/tool/build-tool';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runReborn } from '../support/run-reborn.ts';
import { textOf } from '../support/service.ts';
import { startStandIn } from '../support/stand-in.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, startCluster } from './cluster.ts';

const grants = (methods: string[]) => ({
  http: {
    allowlist: [{ host: 'api.example.com', path_prefix: '/', methods }],
    rate_limit: { requests_per_minute: 1000, requests_per_hour: 1000 },
  },
});

let cluster: Cluster;
let standIn: Awaited<ReturnType<typeof startStandIn>>;
/** How long the outside world takes to answer. */
let pause = 0;

beforeAll(async () => {
  standIn = await startStandIn(async () => {
    await sleep(pause);
    return { text: 'fine' };
  });
  cluster = await startCluster({ env: { STAND_IN_PORT: String(standIn.port) } });
  const { remote } = await cluster.start();
  const { path: wasm } = await buildTool('test/fixtures/tools/probe');
  for (const [name, methods] of [
    ['reader', ['GET']],
    ['writer', ['GET', 'POST']],
  ] as const) {
    const file = path.join(cluster.home, `${name}.json`);
    await writeFile(file, JSON.stringify(grants([...methods])));
    const args = ['tool', 'install', wasm, '--capabilities', file, '--name', name, '--yes'];
    await reborn(args, remote);
    await reborn(['policy', 'set', name, 'allow'], remote);
  }
});

beforeEach(() => {
  pause = 0;
  standIn.asked.length = 0;
});

afterAll(async () => {
  await cluster.close();
  await standIn.close();
});

async function reborn(args: readonly string[], env: Record<string, string>): Promise<void> {
  const { code, stderr } = await runReborn(args, { env });
  if (code !== 0) throw new Error(stderr);
}

const script = (tool: string) => `use ${tool} {"requests":[{"url":"https://api.example.com/"}]}`;
const getReplica = () => {
  const [replica] = cluster.replicas;
  if (!replica) throw new Error('No replica runs.');
  return replica;
};

test('kill -9 of the jail during a call: a tool that only reads is called again, and the turn continues', async () => {
  const asked = await inMidCall('reader', killJail);

  expect(textOf(asked)).toContain('fine');
  expect(standIn.asked).toHaveLength(2);
});

test('kill -9 of the jail during a call: a tool that can write is not repeated, the model learns of it, and the turn continues', async () => {
  const asked = await inMidCall('writer', killJail);

  expect(asked.status).toBe('completed');
  expect(textOf(asked)).toContain('unknown');
  expect(standIn.asked).toHaveLength(1);
});

test.each([
  ['reader', 2, 'fine'],
  ['writer', 1, 'interrupted: the outcome is unknown'],
])('kill -9 of the service while %s runs: the turn continues by the same rule', async (tool, requests, told) => {
  pause = 60_000;
  const victim = getReplica();
  const response = await victim.post({ input: script(tool), background: true });
  const { id } = (await response.json()) as { id: string };
  await waitFor('the call to be made', async () => standIn.asked.length === 1);
  pause = 0;
  const heir = await cluster.start();
  const jails = await jailsOf(victim.pid);
  await victim.kill();

  const done = await waitFor(
    'the turn to end',
    async () => {
      const found = await heir.get(id);
      return found.status === 'completed' ? found : undefined;
    },
    90_000,
  );
  expect(textOf(done)).toContain(told);
  expect(standIn.asked).toHaveLength(requests);
  expect(jails.length).toBeGreaterThan(0);
  await waitFor('the jail to end with its host', async () => !jails.some(isAlive));
});

/** A turn that calls the tool, whose jail is killed while the outside world is slow to answer. */
async function inMidCall(tool: string, harm: () => Promise<void>) {
  pause = 2000;
  const replica = getReplica();
  const asking = replica.ask(script(tool));
  await waitFor('the call to be made', async () => standIn.asked.length === 1);
  pause = 0;
  await harm();
  return asking;
}

async function killJail(): Promise<void> {
  const jails = await waitFor('the jail', async () => {
    const found = await jailsOf(getReplica().pid);
    return found.length > 0 ? found : undefined;
  });
  for (const pid of jails) process.kill(pid, 'SIGKILL');
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The processes below `parent` that hold a tool. */
async function jailsOf(parent: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-e', '-o', 'pid=,ppid=,args=']);
  const processes = stdout.split('\n').map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line)?.slice(1) ?? []);
  return processes.flatMap(([pid, ppid, args]) =>
    Number(ppid) === parent && args?.includes('--permission') ? [Number(pid)] : [],
  );
}
