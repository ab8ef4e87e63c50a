import { createRandom } from './random.ts';

/** What can go wrong, and where: in one replica or on its connection, in PostgreSQL, or in the model. */
export const FAULTS = {
  kill: 'replica',
  terminate: 'replica',
  pause: 'replica',
  reset: 'replica',
  'half-open': 'replica',
  refuse: 'replica',
  latency: 'replica',
  loss: 'replica',
  'freeze-at-statement': 'replica',
  'lose-answer': 'replica',
  'reset-listeners': 'database',
  'cancel-statements': 'database',
  'disk-full': 'database',
  'read-only': 'database',
  'few-connections': 'database',
  'lose-events': 'database',
  failover: 'database',
  'slow-model': 'model',
  'failing-model': 'model',
  'cutting-model': 'model',
  'lying-model': 'model',
} as const satisfies Record<string, 'replica' | 'database' | 'model'>;

export type FaultName = keyof typeof FAULTS;

export type Planned = {
  /** Milliseconds after the start. */
  readonly at: number;
  readonly fault: FaultName;
  /** Which replica; 0 for faults that concern all of them. */
  readonly slot: number;
  /** How long it lasts. */
  readonly ms: number;
  /** Chooses among the forms of a fault, from 0 to 1. */
  readonly form: number;
};

export type Plan = {
  readonly seed: number;
  readonly ms: number;
  readonly slots: number;
  /** Whether there is a standby. A failover happens once, in the middle. */
  readonly hasStandby: boolean;
};

const names = Object.keys(FAULTS) as [FaultName, ...FaultName[]];
const REPEATED = names.filter((name) => name !== 'failover') as [FaultName, ...FaultName[]];
/** The time between two faults, and how long one lasts. */
const LEAST_GAP_MS = 300;
const MOST_GAP_MS = 2500;
const LEAST_MS = 300;
const MOST_MS = 6000;
/** A short run ends with time to recover. */
const QUIET_SHARE = 0.1;

/** All faults of a run, in order. The same plan gives the same schedule. */
export function planFaults({ seed, ms, slots, hasStandby }: Plan): Planned[] {
  const random = createRandom(seed);
  const longest = Math.min(MOST_MS, ms / 5);
  const planned: Planned[] = [];
  let failedOver = !hasStandby;
  for (let at = LEAST_GAP_MS; at < ms * (1 - QUIET_SHARE); at += random.between(LEAST_GAP_MS, MOST_GAP_MS)) {
    const drawn = random.pick(REPEATED);
    const fault = !failedOver && at > ms / 2 ? 'failover' : drawn;
    failedOver ||= fault === 'failover';
    const slot = Math.floor(random.between(0, slots));
    const form = random.between(0, 1);
    planned.push({
      at,
      fault,
      slot: FAULTS[fault] === 'replica' ? slot : 0,
      ms: random.between(LEAST_MS, longest),
      form,
    });
  }
  return planned;
}
