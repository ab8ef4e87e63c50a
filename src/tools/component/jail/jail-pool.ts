import type { Jail } from './jail.ts';
import { createSlots, type TakeSlot } from './slots.ts';

/** The process of a tool, and the calls that use it. */
export type PooledJail = {
  readonly tool: PooledTool;
  readonly jail: Promise<Jail>;
  readonly takeSlot: TakeSlot;
  /** Calls that run or wait. */
  users: number;
  retired: boolean;
  idle: NodeJS.Timeout | undefined;
};

/** A process is replaced when the hash or the memory limit of its tool changes. */
type PooledTool = { readonly name: string; readonly hash: string; readonly memoryBytes: number };

export type JailPool = {
  /** The tool's process, started if there is none. The caller releases it. */
  acquire(tool: PooledTool, start: () => Promise<Jail>): PooledJail;
  release(pooled: PooledJail): void;
  /** What runs may end. The next call starts another process. */
  retire(name: string): void;
  close(): Promise<void>;
};

type Options = {
  /** How many processes may stay when nothing runs in them. */
  readonly warm: number;
  readonly idleMs: number;
  readonly callsPerTool: number;
  /** A process ended that should not have. */
  readonly onLost: (name: string, reason: string) => void;
};

/** One process for each tool. It ends when it is not used for a while, and earlier if there are many. */
export function createJailPool({ warm, idleMs, callsPerTool, onLost }: Options): JailPool {
  /** By name, the least recently used first. */
  const current = new Map<string, PooledJail>();
  const all = new Set<PooledJail>();
  let closed = false;

  return {
    acquire(tool, start) {
      const known = current.get(tool.name);
      const fits = known?.tool.hash === tool.hash && known.tool.memoryBytes === tool.memoryBytes;
      if (known && !fits) retire(known);
      const pooled = known && fits ? known : open(tool, start());
      current.delete(tool.name);
      current.set(tool.name, pooled);
      clearTimeout(pooled.idle);
      pooled.users++;
      return pooled;
    },
    release(pooled) {
      pooled.users--;
      if (pooled.users > 0) return;
      if (pooled.retired) return void end(pooled);
      pooled.idle = setTimeout(() => retire(pooled), idleMs);
      pooled.idle.unref();
      const idle = [...current.values()].filter((other) => other.users === 0);
      for (const surplus of idle.slice(0, Math.max(0, current.size - warm))) retire(surplus);
    },
    retire(name) {
      const pooled = current.get(name);
      if (pooled) retire(pooled);
    },
    async close() {
      closed = true;
      await Promise.all(Array.from(all, end));
    },
  };

  function open(tool: PooledTool, jail: Promise<Jail>): PooledJail {
    const takeSlot = createSlots(callsPerTool);
    const pooled: PooledJail = { tool, jail, takeSlot, users: 0, retired: false, idle: undefined };
    all.add(pooled);
    jail.then(
      async (opened) => {
        const reason = await opened.ended;
        remove(pooled);
        if (!pooled.retired && !closed) onLost(tool.name, reason);
      },
      () => remove(pooled),
    );
    return pooled;
  }

  function retire(pooled: PooledJail): void {
    pooled.retired = true;
    if (current.get(pooled.tool.name) === pooled) current.delete(pooled.tool.name);
    if (pooled.users === 0) void end(pooled);
  }

  async function end(pooled: PooledJail): Promise<void> {
    pooled.retired = true;
    remove(pooled);
    const jail = await pooled.jail.catch(() => undefined);
    jail?.close();
    await jail?.ended;
  }

  function remove(pooled: PooledJail): void {
    clearTimeout(pooled.idle);
    all.delete(pooled);
    if (current.get(pooled.tool.name) === pooled) current.delete(pooled.tool.name);
  }
}
