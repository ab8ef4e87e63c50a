import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { openDatabase } from '#database/open-database.ts';
import type { EngineTimes } from '#engine/engine-times.ts';
import { BARE_ENV } from '../support/bare-env.ts';
import { compiledProgram } from '../support/compiled-program.ts';
import { engineQuery } from '../support/engine-query.ts';
import { freshHome } from '../support/fresh-home.ts';
import { QUICK_TIMES } from '../support/quick-times.ts';
import { type Release, releasedSource } from '../support/released-source.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { clientOf, SETTINGS, WEBHOOK_SECRET, webhookClientOf } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { startLedger } from './ledger.ts';
import { type Proxy, startProxy } from './tcp-proxy.ts';

export type Replica = Awaited<ReturnType<typeof startReplica>>;
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

type ServerConnection = { host: string; port: number; user: string; password: string; database: string };

/** A PostgreSQL behind a connection that can be cut, a scripted model, a ledger, and any number of replicas. */
export async function startCluster({
  env: more = {},
  script = {},
  server,
  times = QUICK_TIMES,
  logs,
}: {
  env?: Record<string, string>;
  script?: Parameters<typeof startScriptedModel>[0];
  /** Uses this server instead of the embedded one. */
  server?: ServerConnection;
  /** How long the engines of the replicas wait. */
  times?: EngineTimes;
  /** A folder that gets the log of each replica. */
  logs?: string | undefined;
} = {}) {
  const home = await freshHome({ empty: server !== undefined });
  const database = server ? undefined : await openDatabase({ url: undefined, home: home.home });
  const embedded = database?.connection as ServerConnection;
  const target = server ?? { path: `${embedded.host}/.s.PGSQL.${embedded.port}` };
  const proxy = await startProxy(target);
  const connection = server ? { ...server, port: proxy.port } : embedded;
  const [model, ledger] = await Promise.all([startScriptedModel(script), startLedger()]);
  const replicas = new Set<Replica>();
  const lines = new Set<Proxy>();
  const sources = new Set<string>();
  let started = 0;
  const urlAt = (port: number) =>
    `postgres://${connection.user}:${connection.password}@127.0.0.1:${port}/${connection.database}`;

  const env = { ...home.env, DATABASE_URL: urlAt(proxy.port) };
  /** A replica behind the shared proxy, or behind a separate one; of an earlier release, if its sources are given. */
  async function start(line: Proxy = proxy, source?: string): Promise<Replica> {
    const name = `replica-${++started}`;
    const settings = {
      ...env,
      ...more,
      ENGINE_TIMES: JSON.stringify(times),
      DATABASE_URL: urlAt(line.port),
      LLM_BASE_URL: model.urlFor(name),
    };
    const program = await (source ? [process.execPath, path.join(source, `${REPLICA}.ts`)] : compiledProgram(REPLICA));
    const replica = await startReplica(name, program, settings, logs);
    replicas.add(replica);
    void replica.exited.then(() => replicas.delete(replica));
    return replica;
  }

  return {
    connection,
    home: home.home,
    env,
    proxy,
    model,
    ledger,
    replicas,
    start,
    /** A replica of an earlier release. */
    async startReleased(release: Release): Promise<Replica> {
      const source = await releasedSource(release, ...PATHS_OF_REPLICA);
      sources.add(source);
      return start(proxy, source);
    },
    /** Two replicas that run: those which earlier tests have left, and otherwise new ones. */
    pair(): Promise<[Replica, Replica]> {
      const [one = start(), other = start()] = replicas;
      return Promise.all([one, other]);
    },
    /** Makes room for the next test on the same cluster. Replicas that still run stay. */
    async forget(): Promise<void> {
      await engineQuery(connection, 'truncate threads, turns, items, turn_events, usage_days cascade');
      model.seen.length = 0;
      ledger.marks.length = 0;
      delete model.hooks.onPrompt;
    },
    /** Another proxy to the same PostgreSQL. */
    async startLine(): Promise<Proxy> {
      const line = await startProxy(target);
      lines.add(line);
      return line;
    },
    async close(): Promise<void> {
      await Promise.all([...replicas].map((replica) => replica.kill()));
      await Promise.all([...lines, proxy, model, ledger].map((part) => part.close()));
      await Promise.all([...sources].map((source) => rm(source, { recursive: true })));
      await database?.close();
      await home.remove();
    },
  };
}

const REPLICA = 'test/faults/replica';
const PATHS_OF_REPLICA = ['package.json', 'src', 'migrations', 'client', 'sdk', 'wit', 'scripts', 'test'];

async function startReplica(
  name: string,
  [node = '', program = '']: readonly string[],
  env: Record<string, string>,
  logs: string | undefined,
) {
  const child = spawn(node, [program], {
    env: {
      ...BARE_ENV,
      ...SETTINGS,
      HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET,
      LLM_PROVIDER: 'openai-compatible',
      LLM_MODEL: 'scripted',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const log = logs && createWriteStream(path.join(logs, `${name}.log`));
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => (output += String(data)));
    if (log) stream.pipe(log, { end: false });
  }
  const exited = once(child, 'exit');
  const [url = '', webhookUrl = ''] = await waitFor(
    'a replica to listen',
    async () => {
      if (child.exitCode !== null) throw new Error(`The replica exited:\n${output}`);
      return /The gateway is at (\S+), the webhook channel at (\S+)/.exec(output)?.slice(1);
    },
    90_000,
  ).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    ...clientOf(url),
    webhook: webhookClientOf(webhookUrl),
    name,
    pid: child.pid ?? 0,
    exited,
    output: () => output,
    send: (signal: NodeJS.Signals) => child.kill(signal),
    kill: async (signal: NodeJS.Signals = 'SIGKILL') => {
      child.kill(signal);
      await exited;
    },
  };
}

/** The row of a response's turn. */
export const turnIdOf = (responseId: string) => {
  const hex = responseId.slice('resp_'.length, 'resp_'.length + 32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

/** Short forms run in CI; `npm run endurance` runs the long ones. */
export const rounds = (short: number, long: number) => (process.env['ENDURANCE'] ? long : short);
