import { type CrashRules, createCrashLedger } from './crash-ledger.ts';
import { type FailureKind, type GuestOutcome, type Jail, type Patience, startJail } from './jail.ts';
import type { ComponentFiles, HostImports, JailLimits, Log } from './jail-call.ts';
import { createSlots, NoFreeSlot, type TakeSlot } from './slots.ts';
import { findWall, LAYERS, type Wall } from './wall.ts';

/** Runs each tool in a separate process that holds no secrets. */
export type Jails = {
  call(component: JailedComponent, call: JailCall): Promise<JailAnswer>;
  /** Milliseconds for which a tool is out of use, because it crashed too often; 0 when it may be called. */
  restLeft(name: string): number;
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

type FailureReason = Exclude<FailureKind, 'aborted'> | 'quarantined';

export type JailsOptions = {
  /** How many processes may stay when nothing runs in them. */
  readonly warm?: number;
  readonly idleMs?: number;
  readonly callsPerTool?: number;
  readonly crashes?: CrashRules;
  readonly patience?: Patience;
  readonly onLog?: (line: string) => void;
};

type Cell = {
  readonly component: JailedComponent;
  readonly memoryBytes: number;
  readonly jail: Promise<Jail>;
  readonly takeSlot: TakeSlot;
  /** Calls that run or wait. */
  users: number;
  retired: boolean;
  idle: NodeJS.Timeout | undefined;
};

const MINUTE = 60_000;

export function createJails(options: JailsOptions = {}): Jails {
  const { warm = 4, idleMs = MINUTE, callsPerTool = 8, onLog = () => {} } = options;
  const patience = options.patience ?? { startMs: 30_000, answerMs: 5000 };
  const ledger = createCrashLedger(options.crashes ?? { limit: 5, windowMs: 10 * MINUTE, restMs: 10 * MINUTE });
  /** By name, the least recently used first. */
  const cells = new Map<string, Cell>();
  const all = new Set<Cell>();
  let closed = false;
  let isWallKnown = false;

  return {
    async call(component, call) {
      for (;;) {
        const rest = ledger.restLeft(component.name);
        if (closed) throw new JailFailure('crashed', 'The service is stopping.');
        if (rest > 0) throw quarantined(component.name, rest);
        call.signal.throwIfAborted();

        // The process may have died while the call was waiting for its slot: then another process runs it.
        const outcome = await runOnce(component, call);
        if (outcome) return toAnswer(component.name, outcome, call.signal);
      }
    },
    restLeft: (name) => ledger.restLeft(name),
    async forget(name) {
      ledger.forget(name);
      const cell = cells.get(name);
      if (cell) retire(cell);
    },
    async close() {
      closed = true;
      await Promise.all(Array.from(all, end));
    },
  };

  async function runOnce(component: JailedComponent, call: JailCall): Promise<GuestOutcome | undefined> {
    const cell = enter(component, call.limits.memoryBytes);
    try {
      return await runIn(cell, call);
    } finally {
      leave(cell);
    }
  }

  /** One thread for each call, and a limited number of threads for each tool. More calls wait, for a limited time. */
  async function runIn(cell: Cell, call: JailCall): Promise<GuestOutcome | undefined> {
    const jail = await cell.jail;
    const freeSlot = await cell.takeSlot(call.limits.wallMs, call.signal).catch((error: unknown) => {
      throw error instanceof NoFreeSlot ? busy(cell.component.name) : error;
    });
    try {
      return await jail.run({ ...call, exported: 'execute' });
    } finally {
      freeSlot();
    }
  }

  function enter(component: JailedComponent, memoryBytes: number): Cell {
    const known = cells.get(component.name);
    const fits = known?.component.hash === component.hash && known.memoryBytes === memoryBytes;
    if (known && !fits) retire(known);
    const cell = known && fits ? known : open(component, memoryBytes);
    cells.delete(component.name);
    cells.set(component.name, cell);
    clearTimeout(cell.idle);
    cell.users++;
    return cell;
  }

  async function wall(): Promise<Wall> {
    const found = await findWall();
    if (!isWallKnown && found.shortfall) onLog(describeShortfall(found));
    isWallKnown = true;
    return found;
  }

  function open(component: JailedComponent, memoryBytes: number): Cell {
    const jail = Promise.all([component.load(), wall()]).then(([files, found]) =>
      startJail(files, memoryBytes, patience, found),
    );
    const takeSlot = createSlots(callsPerTool);
    const cell: Cell = { component, memoryBytes, jail, takeSlot, users: 0, retired: false, idle: undefined };
    all.add(cell);
    jail.then(
      async (opened) => {
        const reason = await opened.ended;
        remove(cell);
        if (cell.retired || closed) return;
        onLog(`The jail of ${component.name} was lost. ${reason}`);
        ledger.record(component.name);
      },
      () => remove(cell),
    );
    return cell;
  }

  function leave(cell: Cell): void {
    cell.users--;
    if (cell.users > 0) return;
    if (cell.retired) return void end(cell);
    cell.idle = setTimeout(() => retire(cell), idleMs);
    cell.idle.unref();
    const idle = [...cells.values()].filter((other) => other.users === 0);
    for (const surplus of idle.slice(0, Math.max(0, cells.size - warm))) retire(surplus);
  }

  function retire(cell: Cell): void {
    cell.retired = true;
    if (cells.get(cell.component.name) === cell) cells.delete(cell.component.name);
    if (cell.users === 0) void end(cell);
  }

  async function end(cell: Cell): Promise<void> {
    cell.retired = true;
    remove(cell);
    const jail = await cell.jail.catch(() => undefined);
    jail?.close();
    await jail?.ended;
  }

  function remove(cell: Cell): void {
    clearTimeout(cell.idle);
    all.delete(cell);
    if (cells.get(cell.component.name) === cell) cells.delete(cell.component.name);
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

function quarantined(name: string, restMs: number): JailFailure {
  const minutes = Math.ceil(restMs / MINUTE);
  const wait = `It may be used again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`;
  return new JailFailure(
    'quarantined',
    `${name} crashed too often and is out of use. ${wait} Do without it until then.`,
  );
}
