import { type CrashRules, createCrashLedger } from './crash-ledger.ts';
import { type Jail, startJail } from './jail.ts';
import type { ComponentFiles, HostImports, JailLimits, Log } from './jail-call.ts';
import { createJailPool, type PooledJail } from './jail-pool.ts';
import type { FailureKind, GuestOutcome, Patience } from './running-call.ts';
import { NoFreeSlot } from './slots.ts';
import { findMissingLayers, findWall, LAYERS, type RequiredLayers, type Wall } from './wall.ts';

/** Runs each tool in a separate process that holds no secrets. */
export type Jails = {
  call(component: JailedComponent, call: JailCall): Promise<JailAnswer>;
  /** Milliseconds for which a tool is out of use, because it crashed too often; 0 when it may be called. */
  quarantineLeft(name: string): number;
  /** The tool was removed or replaced: what runs may end, and its crashes are forgiven. */
  forget(name: string): Promise<void>;
  close(): Promise<void>;
};

export type JailedComponent = { readonly name: string; readonly hash: string; load(): Promise<ComponentFiles> };

export type JailCall = {
  readonly params: string;
  readonly host: HostImports;
  readonly limits: JailLimits;
  readonly signal: AbortSignal;
};

export type JailAnswer = {
  readonly result: { readonly output: string } | { readonly error: string };
  readonly logs: readonly Log[];
};

/** The tool could not answer. The message is for the model to read. */
export class JailFailure extends Error {
  override readonly name = 'JailFailure';
  readonly reason: FailureReason;
  readonly logs: readonly Log[];

  constructor(reason: FailureReason, message: string, logs: readonly Log[] = []) {
    super(message);
    this.reason = reason;
    this.logs = logs;
  }
}

type FailureReason = Exclude<FailureKind, 'aborted'> | 'quarantined' | 'unconfined';

export type JailsOptions = {
  readonly requires?: RequiredLayers;
  readonly wall?: () => Promise<Wall>;
  /** How many processes may stay when nothing runs in them. */
  readonly warm?: number;
  readonly idleMs?: number;
  readonly callsPerTool?: number;
  readonly crashes?: CrashRules;
  readonly patience?: Patience;
  readonly onLog?: (line: string) => void;
};

const MINUTE = 60_000;

export function createJails(options: JailsOptions = {}): Jails {
  const {
    requires = [],
    wall: find = findWall,
    warm = 4,
    idleMs = MINUTE,
    callsPerTool = 8,
    onLog = () => {},
  } = options;
  const patience = options.patience ?? { startMs: 30_000, answerMs: 5000 };
  const ledger = createCrashLedger(options.crashes ?? { limit: 5, windowMs: 10 * MINUTE, restMs: 10 * MINUTE });
  const onLost = (name: string, reason: string): void => {
    onLog(`The jail of ${name} was lost. ${reason}`);
    ledger.record(name);
  };
  const pool = createJailPool({ warm, idleMs, callsPerTool, onLost });
  let closed = false;
  let isWallKnown = false;

  return {
    async call(component, call) {
      const missing = await findMissingLayers(requires, find);
      if (missing) throw unconfined(component.name, missing);
      for (;;) {
        const quarantineMs = ledger.quarantineLeft(component.name);
        if (closed) throw new JailFailure('crashed', 'The service is stopping.');
        if (quarantineMs > 0) throw quarantined(component.name, quarantineMs);
        call.signal.throwIfAborted();

        // The process may have died while the call was waiting for its slot: then another process runs it.
        const outcome = await runOnce(component, call);
        if (outcome) return toAnswer(component.name, outcome, call.signal);
      }
    },
    quarantineLeft: (name) => ledger.quarantineLeft(name),
    async forget(name) {
      ledger.forget(name);
      pool.retire(name);
    },
    async close() {
      closed = true;
      await pool.close();
    },
  };

  async function runOnce(component: JailedComponent, call: JailCall): Promise<GuestOutcome | undefined> {
    const { name, hash } = component;
    const { memoryBytes } = call.limits;
    const pooled = pool.acquire({ name, hash, memoryBytes }, () => start(component, memoryBytes));
    try {
      return await runIn(pooled, call);
    } finally {
      pool.release(pooled);
    }
  }

  async function start(component: JailedComponent, memoryBytes: number): Promise<Jail> {
    const [files, wall] = await Promise.all([component.load(), find()]);
    if (!isWallKnown && wall.shortfall) onLog(describeShortfall(wall));
    isWallKnown = true;
    return startJail(files, memoryBytes, patience, wall);
  }
}

/** One thread for each call, and a limited number of threads for each tool. More calls wait, for a limited time. */
async function runIn({ jail, takeSlot, tool }: PooledJail, call: JailCall): Promise<GuestOutcome | undefined> {
  const started = await jail;
  const freeSlot = await takeSlot(call.limits.wallMs, call.signal).catch((error: unknown) => {
    throw error instanceof NoFreeSlot ? busy(tool.name) : error;
  });
  try {
    return await started.run({ ...call, exported: 'execute' });
  } finally {
    freeSlot();
  }
}

function describeShortfall({ layers, shortfall }: Wall): string {
  const kept = layers.map((layer) => LAYERS[layer]).join(', ') || 'nothing';
  return `The operating system confines tools less than it could (of a jail's process it is sure of: ${kept}). ${shortfall}`;
}

function toAnswer(name: string, outcome: GuestOutcome, signal: AbortSignal): JailAnswer {
  if ('text' in outcome) return { result: resultOf(outcome.kind, outcome.text), logs: outcome.logs };
  if (outcome.kind === 'aborted') {
    signal.throwIfAborted();
    throw new JailFailure('crashed', `${name} was stopped.`, outcome.logs);
  }
  throw new JailFailure(outcome.kind, `${name} ${FAILED[outcome.kind]} ${outcome.message}`, outcome.logs);
}

const resultOf = (kind: 'output' | 'error', text: string) => (kind === 'output' ? { output: text } : { error: text });

const FAILED: Record<Exclude<FailureKind, 'aborted'>, string> = {
  cpu: 'was stopped because it used too much CPU time.',
  wall: 'was stopped because it took too long.',
  memory: 'was stopped because it used too much memory.',
  crashed: 'crashed; whether it had an effect is unknown.',
  trap: 'failed inside.',
  contract: 'broke the contract of tools.',
};

const busy = (name: string) => new JailFailure('wall', `${name} is busy with other calls. Try again later.`);

const unconfined = (name: string, missing: string) =>
  new JailFailure(
    'unconfined',
    `${name} can't run on this machine. ${missing} Do without it; the operator can change this.`,
  );

function quarantined(name: string, ms: number): JailFailure {
  const minutes = Math.ceil(ms / MINUTE);
  const wait = `It may be used again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`;
  return new JailFailure(
    'quarantined',
    `${name} crashed too often and is out of use. ${wait} Do without it until then.`,
  );
}
