import { Clock, Station } from './station.ts';

/** One PostgreSQL and its replicas. Times are in ms, and measured ones come from bench:load and bench:replicas. */
export type Cell = {
  readonly replicas: number;
  readonly postgresCores: number;
  readonly turnsPerReplica: number;
  /** CPU time of a turn. */
  readonly node: number;
  readonly postgres: number;
  /** From a kill until the others continue its turns: at least and at most. */
  readonly noticed: readonly [number, number];
  /** How long a model answers, on average. */
  readonly model: number;
};

export type Course = {
  readonly turnsPerSecond: number;
  readonly seconds: number;
  /** So many replicas die at this second and don't come back. */
  readonly kill?: { readonly at: number; readonly replicas: number };
  /** PostgreSQL can't be reached from this second on, for so many seconds; clients try again every second. */
  readonly outage?: { readonly at: number; readonly seconds: number };
};

export type Simulated = {
  /** From the arrival of a message to its model call or the end of the course, in ms, by the second of its arrival. */
  readonly waits: readonly (readonly number[])[];
  /** From the kill to the next model call of a turn that was running, in ms. */
  readonly takeovers: readonly number[];
  readonly mostQueued: number;
};

type Replica = { readonly cpu: Station; isAlive: boolean; running: Set<Turn> };
type Turn = { readonly arrived: number; killed?: number };

/** The share of a turn's cost that comes before its model call. */
const BEFORE = { node: 0.3, postgres: 0.5 };
const RETRY = 1000;

/** A cell under messages that arrive at random and take times at random (exponential). The same seed gives the same course. */
export function simulateCell(cell: Cell, course: Course, seed = 1): Simulated {
  const clock = new Clock();
  const random = randomFrom(seed);
  const postgres = new Station(clock, cell.postgresCores);
  const replicas: Replica[] = Array.from({ length: cell.replicas }, () => ({
    cpu: new Station(clock, 1),
    isAlive: true,
    running: new Set(),
  }));
  const queue: Turn[] = [];
  const waits: number[][] = Array.from({ length: course.seconds }, () => []);
  const takeovers: number[] = [];
  let mostQueued = 0;
  let isDown = false;

  const about = (mean: number): number => -Math.log(1 - random()) * mean;

  const anyReplica = (): Replica => {
    const alive = replicas.filter(({ isAlive }) => isAlive);
    return alive[Math.floor(random() * alive.length)] as Replica;
  };

  function arrive(turn: Turn): void {
    if (isDown) return clock.after(about(RETRY), () => arrive(turn));
    begin(turn, anyReplica());
  }

  function begin(turn: Turn, replica: Replica): void {
    replica.cpu.serve(about(cell.node * BEFORE.node), () => {
      if (!replica.isAlive) return begin(turn, anyReplica());
      postgres.serve(about(cell.postgres * BEFORE.postgres), () => claim(turn, replica));
    });
  }

  /** The replica that accepted a message runs it, unless it is full; then the first that has room does. */
  function claim(turn: Turn, accepting: Replica): void {
    const hasRoom = (replica: Replica) => replica.isAlive && replica.running.size < cell.turnsPerReplica;
    const replica = hasRoom(accepting) ? accepting : replicas.find(hasRoom);
    if (replica) return callModel(turn, replica);
    queue.push(turn);
    mostQueued = Math.max(mostQueued, queue.length);
  }

  function callModel(turn: Turn, replica: Replica): void {
    replica.running.add(turn);
    record(turn);
    clock.after(about(cell.model), () => {
      if (replica.running.has(turn)) end(turn, replica);
    });
  }

  function record({ arrived, killed }: Turn): void {
    if (killed === undefined) waits[Math.floor(arrived / 1000)]?.push(clock.now - arrived);
    else takeovers.push(clock.now - killed);
  }

  function end(turn: Turn, replica: Replica): void {
    if (isDown) return clock.after(about(RETRY), () => end(turn, replica));
    replica.cpu.serve(about(cell.node * (1 - BEFORE.node)), () =>
      postgres.serve(about(cell.postgres * (1 - BEFORE.postgres)), () => {
        if (!replica.running.delete(turn)) return; // it was killed before this was stored
        const next = queue.shift();
        if (next) callModel(next, replica);
      }),
    );
  }

  function kill(count: number): void {
    const died = clock.now;
    for (const replica of replicas.slice(0, count)) {
      const orphans = [...replica.running];
      replica.isAlive = false;
      replica.running = new Set();
      const [least, most] = cell.noticed;
      clock.after(least + random() * (most - least), () => {
        for (const orphan of orphans) begin({ arrived: orphan.arrived, killed: died }, anyReplica());
      });
    }
  }

  function arriveAtRandom(): void {
    arrive({ arrived: clock.now });
    clock.after(about(1000 / course.turnsPerSecond), arriveAtRandom);
  }

  clock.after(0, arriveAtRandom);
  if (course.kill) {
    const { at, replicas: count } = course.kill;
    clock.after(at * 1000, () => kill(count));
  }
  if (course.outage) {
    clock.after(course.outage.at * 1000, () => (isDown = true));
    clock.after((course.outage.at + course.outage.seconds) * 1000, () => (isDown = false));
  }
  clock.runUntil(course.seconds * 1000);
  for (const turn of queue) record(turn);
  return { waits, takeovers, mostQueued };
}

/** A linear congruential generator: numbers from 0 to 1 that can be repeated. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
