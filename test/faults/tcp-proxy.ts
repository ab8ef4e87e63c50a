import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { readStatements } from './read-statements.ts';

export type Proxy = Awaited<ReturnType<typeof startProxy>>;

/** Part of a statement's text, or a pattern. */
export type Words = string | RegExp;

/** A bad network: every piece takes longer, and a lost one as long as TCP needs to send it again. */
export type Pace = { readonly latencyMs: number; readonly lossRate: number };
const SENT_AGAIN_MS = 300;

/**
 * A TCP proxy to a PostgreSQL that can be cut, slowed down, frozen and repaired. It reads the statements that pass, so that a fault can
 * happen at a chosen one, also when only the name of a prepared statement is sent.
 */
export async function startProxy(target: NetConnectOpts) {
  const lines = new Set<Line>();
  const traps = new Set<Trap>();
  const passed: { words: Words; times: number }[] = [];
  let broken = false;
  let frozen = false;
  let pace: Pace | undefined;

  const server = createServer((near) => {
    if (broken) {
      near.destroy();
      return;
    }
    const findTrap = (statement: string) => {
      for (const count of passed) if (matches(statement, count.words)) count.times++;
      return [...traps].find(({ words }) => matches(statement, words));
    };
    const line = openLine(near, createConnection(target), findTrap, () => pace);
    lines.add(line);
    near.on('close', () => lines.delete(line));
    if (frozen) line.freeze();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const cut = () => {
    for (const line of lines) line.destroy();
  };
  const freeze = () => {
    frozen = true;
    for (const line of lines) line.freeze();
  };

  /** Resolves when a statement with `words` has passed, or would have, and `spring` was called for its line. */
  function trap(words: Words, when: Trap['when'], spring: (line: Line) => void): Promise<void> {
    return new Promise((resolve) => {
      const set: Trap = {
        words,
        when,
        spring: (line) => {
          traps.delete(set);
          spring(line);
          resolve();
        },
      };
      traps.add(set);
    });
  }

  return {
    port: (server.address() as AddressInfo).port,
    /** How often such a statement passes from now on. */
    count: (words: Words): (() => number) => {
      const count = { words, times: 0 };
      passed.push(count);
      return () => count.times;
    },
    /** Closes every connection; new ones can be opened at once. */
    cut,
    /** Lets the statement through but not its answer, then closes the connection. Resolves when that has happened. */
    loseAnswerTo: (words: Words) => trap(words, 'answered', (line) => line.destroy()),
    /**
     * Stops every connection in both directions, as a partition or a paused host would: nothing is closed, and new
     * connections are silent. `before`: the statement does not arrive; `after`: it does, and its answer does not come back.
     */
    freezeAt: (words: Words, when: 'before' | 'after') => trap(words, when, freeze),
    freeze,
    /** Slows down both directions from now on; undefined ends it. */
    slow: (how: Pace | undefined) => {
      pace = how;
    },
    /** Continues where the freeze began. */
    thaw: () => {
      frozen = false;
      for (const line of lines) line.thaw();
    },
    /** Forgets the statements that were to cause a fault, also one that has passed and waits for its answer. */
    disarm: () => {
      traps.clear();
      for (const line of lines) line.disarm();
    },
    /** Closes every connection and refuses new ones until `repair`. */
    break: () => {
      broken = true;
      cut();
    },
    repair: (elsewhere: NetConnectOpts = target) => {
      target = elsewhere;
      broken = false;
    },
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

type Trap = { words: Words; when: 'before' | 'after' | 'answered'; spring: (line: Line) => void };

type Line = ReturnType<typeof openLine>;

function openLine(
  near: Socket,
  far: Socket,
  findTrap: (statement: string) => Trap | undefined,
  paceNow: () => Pace | undefined,
) {
  const read = readStatements();
  const [toFar, toNear] = [sendSlowly(far, paceNow), sendSlowly(near, paceNow)];
  /** The bytes that came while the connection was frozen. */
  let held: Buffer[] | undefined;
  let sprung: Trap | undefined;
  let isForeign = false;

  const line = {
    destroy: () => {
      near.destroy();
      far.destroy();
    },
    disarm: () => {
      if (sprung?.when === 'answered') line.destroy(); // a part of the answer may be lost already
      sprung = undefined;
    },
    freeze: () => {
      held ??= [];
      near.pause();
      far.pause();
    },
    thaw: () => {
      const waiting = held ?? [];
      held = undefined;
      for (const data of waiting) toFar(data);
      near.resume();
      far.resume();
    },
  };

  near.on('data', (data: Buffer) => {
    for (const { bytes, statement, ends, foreign } of read(data)) {
      isForeign = foreign === true;
      if (statement !== undefined) sprung ??= findTrap(statement);
      if (sprung?.when === 'before') spring();
      if (held) held.push(bytes);
      else toFar(bytes);
      if (ends && sprung?.when === 'after') spring();
    }
  });
  far.on('data', (data: Buffer) => {
    if (sprung?.when !== 'answered') toNear(data);
    else if (isForeign || data.includes(READY)) spring();
  });
  function spring(): void {
    const { spring: act } = sprung ?? {};
    sprung = undefined;
    act?.(line);
  }
  // A frozen connection does not show either side that the other has gone.
  const closed = (other: Socket) => () => {
    if (!held) other.destroySoon();
  };
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.on('error', closed(other));
    one.on('close', closed(other));
  }
  return line;
}

/** Writes to the socket at the current pace, and keeps the order. */
function sendSlowly(socket: Socket, paceNow: () => Pace | undefined): (data: Buffer) => void {
  const queue: { readonly data: Buffer; readonly due: number }[] = [];
  function drain(): void {
    for (let [first] = queue; first; [first] = queue) {
      const wait = first.due - performance.now();
      if (wait > 0) return void setTimeout(drain, wait);
      socket.write(first.data);
      queue.shift();
    }
  }
  return (data) => {
    const { latencyMs = 0, lossRate = 0 } = paceNow() ?? {};
    const isLost = lossRate > 0 && Math.random() < lossRate;
    const due = performance.now() + latencyMs + (isLost ? SENT_AGAIN_MS : 0);
    if (queue.push({ data, due: Math.max(due, queue.at(-1)?.due ?? 0) }) === 1) drain();
  };
}

/** ReadyForQuery: what was asked has been done, and outside a transaction committed. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5]);

const matches = (statement: string, words: Words) =>
  typeof words === 'string' ? statement.includes(words) : words.test(statement);
