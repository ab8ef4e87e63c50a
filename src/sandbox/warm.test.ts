import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createWarmPool, DEFAULT_SIZES } from './warm.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const SIZES = { inUse: 2, warm: 3, idleMs: 1000 };
const never = new AbortController().signal;

function createThing() {
  return { hasEnded: false, isAlive: () => true, end: vi.fn(async () => {}) };
}

describe('a sandbox is kept', () => {
  test('for exactly its workspace and version, once', () => {
    const pool = createWarmPool(SIZES);
    const thing = createThing();
    pool.keep({ workspace: 'a', version: 2 }, thing);

    expect(pool.take({ workspace: 'b', version: 2 })).toBeUndefined();
    expect(pool.take({ workspace: 'a', version: 2 })).toBe(thing);
    expect(pool.take({ workspace: 'a', version: 2 })).toBeUndefined();
    expect(thing.end).not.toHaveBeenCalled();
  });

  test('until someone needs another version', () => {
    const pool = createWarmPool(SIZES);
    const thing = createThing();
    pool.keep({ workspace: 'a', version: 2 }, thing);

    expect(pool.take({ workspace: 'a', version: 3 })).toBeUndefined();
    expect(thing.end).toHaveBeenCalledOnce();
  });

  test('until a newer one of its workspace comes', () => {
    const pool = createWarmPool(SIZES);
    const [older, newer] = [createThing(), createThing()];
    pool.keep({ workspace: 'a', version: 2 }, older);
    pool.keep({ workspace: 'a', version: 3 }, newer);

    expect(older.end).toHaveBeenCalledOnce();
    expect(pool.take({ workspace: 'a', version: 3 })).toBe(newer);
  });

  test('for five minutes', () => {
    const pool = createWarmPool(DEFAULT_SIZES);
    const thing = createThing();
    pool.keep({ workspace: 'a', version: 1 }, thing);
    vi.advanceTimersByTime(5 * 60_000 - 1);
    expect(thing.end).not.toHaveBeenCalled();

    vi.advanceTimersByTime(1);
    expect(thing.end).toHaveBeenCalledOnce();
    expect(pool.take({ workspace: 'a', version: 1 })).toBeUndefined();
  });

  test('unless it has ended meanwhile', () => {
    const pool = createWarmPool(SIZES);
    pool.keep({ workspace: 'a', version: 1 }, { ...createThing(), isAlive: () => false });

    expect(pool.take({ workspace: 'a', version: 1 })).toBeUndefined();
  });

  test('while there is room: the oldest goes first', () => {
    const pool = createWarmPool(SIZES);
    const things = Array.from({ length: 5 }, createThing);
    for (const [at, thing] of things.entries()) pool.keep({ workspace: `w${at}`, version: 1 }, thing);

    expect(things.map(({ end }) => end.mock.calls.length)).toEqual([1, 1, 0, 0, 0]);
  });

  test('no longer when the pool closes', () => {
    const pool = createWarmPool(SIZES);
    const [before, after] = [createThing(), createThing()];
    pool.keep({ workspace: 'a', version: 1 }, before);
    pool.close();
    pool.keep({ workspace: 'b', version: 1 }, after);

    expect(before.end).toHaveBeenCalledOnce();
    expect(after.end).toHaveBeenCalledOnce();
  });
});

describe('who finds all in use', () => {
  test('waits, and enters in the order of arrival', async () => {
    const pool = createWarmPool(SIZES);
    const entered: string[] = [];
    const enter = async (name: string) => {
      const leave = await pool.enter(never);
      entered.push(name);
      return leave;
    };
    const leaves = [await enter('a'), await enter('b')];
    const waiting = [enter('c'), enter('d')];
    await Promise.resolve();
    expect(entered).toEqual(['a', 'b']);

    leaves[0]?.();
    leaves[0]?.(); // leaving twice frees one place
    await waiting[0];
    expect(entered).toEqual(['a', 'b', 'c']);

    leaves[1]?.();
    await waiting[1];
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
  });

  test('leaves the queue when it is aborted', async () => {
    const pool = createWarmPool({ ...SIZES, inUse: 1 });
    const leave = await pool.enter(never);
    const controller = new AbortController();
    const aborted = pool.enter(controller.signal);
    const next = pool.enter(never);
    controller.abort(new Error('stopped by the person'));

    await expect(aborted).rejects.toThrow('stopped by the person');
    leave();
    expect(await next).toBeTypeOf('function');
  });

  test('does not enter with an aborted signal', async () => {
    await expect(createWarmPool(SIZES).enter(AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
  });

  test('is turned away when the pool closes', async () => {
    const pool = createWarmPool({ ...SIZES, inUse: 1 });
    await pool.enter(never);
    const waiting = pool.enter(never);
    pool.close();

    await expect(waiting).rejects.toThrow('closed');
    await expect(pool.enter(never)).rejects.toThrow('closed');
  });
});
