import { createRandom } from '../../chaos/random.ts';
import type { SeenPrompt } from '../../support/scripted-model.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type Cluster, startCluster } from '../cluster.ts';
import { insist } from '../harms.ts';
import { query } from '../query.ts';
import { differences, readOutcomes } from './outcomes.ts';
import { IN_SANDBOX, PHASES, type Phase, type Slot } from './phases.ts';
import { processesWith, type Seen } from './processes.ts';
import { callAt, type ScriptedCall } from './script.ts';

type Plan = {
  readonly seed: number;
  readonly kills: number;
  readonly workspaces: number;
  /** How many calls each workspace gets, and more until all kills are done. */
  readonly calls: number;
  /** Also kills processes of PostgreSQL, which then ends all its sessions and recovers. */
  readonly database?: boolean;
  readonly onProgress?: (report: Pick<Report, 'kills'>, done: number) => void;
};

type Report = {
  /** By process and phase. */
  readonly kills: Readonly<Record<string, number>>;
  readonly calls: number;
  /** Phases to which no call came in time. */
  readonly missed: Readonly<Record<string, number>>;
  /** Calls that were answered with a refusal or not at all, because they were killed too often, and were sent again. */
  readonly again: Readonly<Record<string, number>>;
  /** Contents that no version uses, which the sweep has removed. */
  readonly swept: number;
  /** What must not be. Empty after a good run. */
  readonly breaches: readonly string[];
};

type Victim = 'replica' | 'bubblewrap' | 'runner' | 'PostgreSQL';

const REPLICAS = 3;
const LANES = 6;
/** A phase that no call comes to any more is given up. */
const PATIENCE_MS = 6000;
/** The quota is in the command line of each sandbox, and so distinguishes ours from other tests'. */
const QUOTA_MB = 50 + (process.pid % 150);
const MARK = `"workspace":${QUOTA_MB * 1_000_000},`;

/** Runs the script in all workspaces while processes are killed, then once more without kills, and compares everything. */
export async function runKills(plan: Plan): Promise<Report> {
  const env = {
    SANDBOX: 'auto',
    WORKSPACE_QUOTA_MB: String(QUOTA_MB),
    USER_STORAGE_MB: '100000',
    SWEEP_ATTACHMENTS_EVERY_MS: '300',
  };
  const cluster = await startCluster({ env });
  try {
    return await runOn(cluster, plan);
  } finally {
    await cluster.close();
  }
}

async function runOn(cluster: Cluster, plan: Plan): Promise<Report> {
  const slots = await Promise.all(Array.from({ length: REPLICAS }, () => openSlot(cluster)));
  const killing = startKilling(cluster, slots, plan);
  const disturbed = prepareCalls(cluster, 'disturbed', plan.workspaces, (step) => {
    plan.onProgress?.({ kills: killing.kills }, disturbed.done());
    return step < plan.calls || !killing.isDone();
  });
  try {
    await disturbed.run();
  } finally {
    await killing.stop();
  }
  const quiet = prepareCalls(
    cluster,
    'quiet',
    plan.workspaces,
    (step, workspace) => step < disturbed.stepsOf(workspace),
  );
  await quiet.run();
  const [seen, expected] = [await readOutcomes(cluster, disturbed.threads), await readOutcomes(cluster, quiet.threads)];
  const swept = await sweep(cluster);
  await Promise.all(slots.map(({ replica }) => replica.kill()));
  const next = await cluster.start(); // it ends what a replica left that was killed while bubblewrap started
  await next.kill();
  const left = await leftProcesses();
  return {
    kills: killing.kills,
    missed: killing.missed,
    calls: disturbed.done(),
    again: disturbed.again,
    swept,
    breaches: [
      ...differences(expected, seen),
      ...(Object.keys(quiet.again).length > 0 ? [`a call failed without kills: ${JSON.stringify(quiet.again)}`] : []),
      ...left.map((pid) => `a process of a sandbox is left: ${pid}`),
    ],
  };
}

async function openSlot(cluster: Cluster): Promise<Slot> {
  const line = await cluster.startLine();
  return { line, replica: await cluster.start(line) };
}

/** People who send one call after the other to any replica, and once more if it was given up. */
function prepareCalls(
  cluster: Cluster,
  name: string,
  workspaces: number,
  goesOn: (step: number, workspace: number) => boolean,
) {
  const threads = new Map<number, string>();
  const steps = new Map<number, number>();
  const again: Record<string, number> = {};
  const waiting = Array.from({ length: workspaces }, (_, workspace) => workspace);
  const stepsOf = (workspace: number) => steps.get(workspace) ?? 0;

  async function lane(): Promise<void> {
    for (let workspace = waiting.shift(); workspace !== undefined; workspace = waiting.shift()) {
      const step = stepsOf(workspace);
      if (!goesOn(step, workspace)) continue;
      await complete(workspace, `${name}-${workspace}-${step}`, callAt(workspace, step));
      steps.set(workspace, step + 1);
      waiting.push(workspace);
    }
  }

  async function complete(workspace: number, key: string, call: ScriptedCall): Promise<void> {
    for (let tries = 1; ; tries++) {
      const turn = await send(cluster, `${key}-${tries}`, threads.get(workspace), call);
      threads.set(workspace, turn.thread_id);
      const { refusal } = await waitForOutput(cluster, turn.turn_id);
      if (refusal === null) return;
      again[refusal] = (again[refusal] ?? 0) + 1;
      if (tries === 20) throw new Error(`${key} was refused ${tries} times: ${refusal}`);
    }
  }

  return {
    threads,
    again,
    stepsOf,
    done: () => [...steps.values()].reduce((all, count) => all + count, 0),
    run: () => Promise.all(Array.from({ length: LANES }, lane)),
  };
}

type Accepted = { readonly thread_id: string; readonly turn_id: string };

/** Sends until it is accepted. The key makes sure that it is accepted once. */
async function send(
  cluster: Cluster,
  key: string,
  thread: string | undefined,
  { name, given }: ScriptedCall,
): Promise<Accepted> {
  const body = { message: `use ${name} ${JSON.stringify(given)}`, ...(thread && { thread_id: thread }) };
  return waitFor(`${key} to be accepted`, async () => {
    const [replica] = [...cluster.replicas].toSorted(() => Math.random() - 0.5);
    const sent = await replica
      ?.request('/api/chat/send', { method: 'POST', body: JSON.stringify(body), headers: { 'idempotency-key': key } })
      .catch(() => undefined); // it was killed
    return sent?.status === 202 ? ((await sent.json().catch(() => undefined)) as Accepted | undefined) : undefined;
  });
}

/** Resolves when the turn has ended. A refusal is why the call must be sent again. */
function waitForOutput(cluster: Cluster, turn: string): Promise<{ refusal: string | null }> {
  return waitFor(`turn ${turn} to end`, async () => {
    const [row] = await query<{ ended: boolean; output: string | null; failure: string | null }>(cluster, ENDED, [
      turn,
    ]).catch(
      () => [], // PostgreSQL recovers
    );
    if (!row?.ended) return undefined;
    const refusal = row.output === null ? `no output: ${row.failure}` : refusalIn(row.output);
    return { refusal };
  }).catch(async (error: unknown) => {
    const state = JSON.stringify(await query(cluster, STATE, [turn]));
    throw new Error(`Turn ${turn} does not end: ${state}`, { cause: error });
  });
}

/** What tells a turn that is stuck from one that is slow. */
const STATE = `
  select now(), row_to_json(turns.*) as turn, (select json_agg(replicas.*) from replicas) as replicas,
    (select count(*)::int from turns where ended_at is null) as unfinished
  from turns where id = $1`;

const ENDED = `
  select ended_at is not null as ended, failure ->> 'code' as failure,
    (select body #>> '{output,0,text}' from items where items.turn_id = turns.id and body ->> 'type' = 'function_call_output') as output
  from turns where id = $1`;

/** The service says that nothing has happened. */
const refusalIn = (output: string): string | null => /^(Not run: .*)$/m.exec(output)?.[1] ?? null;

function startKilling(cluster: Cluster, slots: readonly Slot[], { seed, kills: most, database = false }: Plan) {
  const random = createRandom(seed);
  const stopped = new AbortController();
  const kills: Record<string, number> = {};
  const missed: Record<string, number> = {};
  const prompts = new Set<(prompt: SeenPrompt) => void>();
  cluster.model.hooks.onPrompt = (prompt) => {
    for (const listen of prompts) listen(prompt);
  };
  const isDone = () => sum(kills) >= most;
  const phases = Object.keys(PHASES) as [Phase, ...Phase[]];

  async function killOnce(slot: Slot): Promise<void> {
    const phase = random.pick(phases);
    const victim = random.pick<Victim>(victimsAt(phase, database));
    const reached = await reach(phase, slot);
    if (reached === 'not reached') {
      missed[phase] = (missed[phase] ?? 0) + 1;
      return;
    }
    const what = `${victim}, ${phase}`;
    kills[what] = (kills[what] ?? 0) + 1;
    await KILL[victim](cluster, slot, reached);
  }

  async function reach(phase: Phase, slot: Slot): Promise<Seen | undefined | 'not reached'> {
    const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(PATIENCE_MS)]);
    const ended = new Promise<'not reached'>((resolve) =>
      signal.addEventListener('abort', () => resolve('not reached')),
    );
    const at = { slot, prompts, random: () => random.between(0, 1), signal };
    const reached = await Promise.race([PHASES[phase](at), ended])
      .catch((error: unknown) => {
        if (signal.aborted) return 'not reached' as const;
        throw error;
      })
      .finally(() => slot.line.disarm());
    if (reached === 'not reached') slot.line.thaw(); // it may have been frozen in the last instant
    return reached;
  }

  const killAt = async (slot: Slot) => {
    while (!stopped.signal.aborted && !isDone()) await killOnce(slot);
  };
  const running = Promise.all(slots.map(killAt));
  running.catch(() => {}); // reported by `stop`
  return {
    kills,
    missed,
    isDone,
    async stop() {
      stopped.abort();
      await running;
      for (const { line } of slots) line.thaw();
    },
  };
}

function victimsAt(phase: Phase, database: boolean): [Victim, ...Victim[]] {
  if (IN_SANDBOX.includes(phase)) return ['replica', 'bubblewrap', 'runner', 'bubblewrap', 'runner'];
  return database && /bytes|commit/.test(phase) ? ['replica', 'replica', 'PostgreSQL'] : ['replica'];
}

type Kill = (cluster: Cluster, slot: Slot, seen: Seen | undefined) => Promise<void>;

const KILL: Record<Victim, Kill> = {
  replica: async (cluster, slot) => {
    await slot.replica.kill();
    slot.line.cut();
    slot.line.thaw();
    // A service that finds PostgreSQL in recovery exits, and is started again.
    await insist(async () => {
      slot.replica = await cluster.start(slot.line);
    });
  },
  bubblewrap: async (_, __, seen) => kill(seen?.bubblewrap),
  runner: async (_, __, seen) => kill(seen?.runner),
  PostgreSQL: async (cluster, { line }) => {
    const [backend] = await query<{ pid: number }>(
      cluster,
      `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
       order by state = 'active' desc, random() limit 1`,
    );
    kill(backend?.pid);
    line.thaw();
    await waitFor('PostgreSQL to recover', () => query(cluster, 'select 1').catch(() => undefined));
  },
};

function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has just ended by itself
  }
}

/** An hour later: resolves to the number of unused contents, when they are gone. */
async function sweep(cluster: Cluster): Promise<number> {
  const unused = await query<{ sha256: string }>(cluster, UNUSED);
  await query(cluster, `update attachments set idle_since = now() - interval '2 hours' where idle_since is not null`);
  await waitFor('unused contents to be removed', async () => (await query(cluster, UNUSED)).length === 0);
  return unused.length;
}

const UNUSED = `
  select sha256 from attachments
  where not exists (select from workspace_files as f where f.user_id = attachments.user_id and f.sha256 = attachments.sha256)
    and not exists (select from attachment_uses as u where u.user_id = attachments.user_id and u.sha256 = attachments.sha256)`;

/** A sandbox ends with its service, but not in the same instant. */
async function leftProcesses(): Promise<number[]> {
  await waitFor('the sandboxes to end', async () => processesWith(MARK).length === 0, 10_000).catch(() => {});
  return processesWith(MARK);
}

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((all, count) => all + count, 0);
