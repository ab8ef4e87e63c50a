import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, readlink, realpath, rm, rmdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** For tests: another process that opens the database in `home`, as a terminal or a server would. */
export type OwnerProcess = {
  readonly child: ChildProcess;
  readonly connection: pg.PoolConfig;
  close(): Promise<void>;
  kill(signal: NodeJS.Signals): Promise<void>;
};

const SCRIPT = `
  const { openDatabase } = await import(process.argv[1]);
  const database = await openDatabase({ url: undefined, home: process.argv[2] });
  console.log(JSON.stringify(database.connection));
  process.stdin.once('end', () => database.close()).resume();
`;

export async function startOwner(home: string, user?: { uid: number; gid: number }): Promise<OwnerProcess> {
  const child = spawnOwner(home, user);
  const exit = once(child, 'exit');
  const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), exit])) as [unknown];
  if (typeof line !== 'string') throw new Error('The owner process ended before it had a database.');

  return {
    child,
    connection: JSON.parse(line) as pg.PoolConfig,
    async close() {
      child.stdin.end();
      await exit;
    },
    async kill(signal) {
      process.kill(-(child.pid ?? 0), signal); // the whole group, as Ctrl+C does
      await exit;
    },
  };
}

export function spawnOwner(home: string, user?: { uid: number; gid: number }) {
  const module = new URL('../open-database.ts', import.meta.url).href;
  const words = ['--input-type=module', '--eval', SCRIPT, module, home];
  return spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'], detached: true, cwd: '/', ...user });
}

export async function ask(connection: pg.PoolConfig, query: string): Promise<unknown[]> {
  const client = new pg.Client(connection);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(query)).rows.flatMap((row) => Object.values(row));
  } finally {
    await client.end();
  }
}

/** Accessible to the server's user even when the tests run as root. */
export async function makeHome(mode = 0o755): Promise<string> {
  const home = await realpath(await mkdtemp(path.join(os.tmpdir(), 'reborn-home-')));
  await chmod(home, mode);
  return home;
}

export async function removeHome(home: string): Promise<void> {
  const shared = await sharedAreas(home);
  for (const area of [home, ...shared]) {
    const pid = await postmasterPid(path.join(area, 'postgres-18'));
    if (!pid) continue;
    process.kill(pid, 'SIGQUIT');
    await waitUntil(async () => !(await isAlive(pid)));
  }
  await rm(home, { recursive: true, force: true });
  for (const area of shared) await rm(area, { recursive: true, force: true });
  await rmdir(SHARED).catch(() => {});
}

const SHARED = '/var/lib/reborn';

/** The folder of a home whose data an earlier version has stored outside. */
export const earlierArea = (home: string): string =>
  path.join(SHARED, createHash('sha256').update(home).digest('hex').slice(0, 16));

/** The folders with data of a home that are not in it. */
export async function sharedAreas(home: string): Promise<string[]> {
  const all = await readdir(SHARED).catch(() => []);
  return all.map((entry) => path.join(SHARED, entry)).filter((area) => area.startsWith(earlierArea(home)));
}

/** The process ID of the running server of `data`; undefined when there is none. */
export async function postmasterPid(data: string): Promise<number | undefined> {
  const pid = Number.parseInt(await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '0'), 10);
  return pid && (await readlink(`/proc/${pid}/cwd`).catch(() => '')) === data ? pid : undefined;
}

/** A zombie process does not count. */
export async function isAlive(pid: number): Promise<boolean> {
  return (await readlink(`/proc/${pid}/cwd`).catch(() => '')) !== '';
}

export async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('Waited too long.');
    await pause(10);
  }
}
