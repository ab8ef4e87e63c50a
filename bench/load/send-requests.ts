import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { KINDS, type Kind, type Target } from './traffic.ts';

/** Times in µs. */
export type Tally = {
  readonly first: RecordableHistogram;
  readonly whole: RecordableHistogram;
  readonly errors: string[];
};

export const MICROSECONDS = 1000;

/**
 * Sends requests at this rate and waits for all answers. They are sent at random times (Poisson) that don't depend on the answers,
 * and their latency counts from their scheduled time: a service that falls behind can't hide it by slowing down
 * its clients. Returns the tally of each kind, and of all together under `all`.
 */
export async function sendRequests(target: Target, rate: number, seconds: number): Promise<Map<string, Tally>> {
  const tallies = new Map<string, Tally>();
  const tallyOf = (name: string): Tally => {
    const known = tallies.get(name) ?? { first: createHistogram(), whole: createHistogram(), errors: [] };
    tallies.set(name, known);
    return known;
  };
  const all = tallyOf('all');
  const send = async (due: number) => {
    const kind = chooseKind();
    const tally = tallyOf(kind.name);
    const since = () => Math.max(1, Math.round((performance.now() - due) * MICROSECONDS));
    let hasText = false;
    const onText = () => {
      if (hasText) return;
      hasText = true;
      for (const { first } of [all, tally]) first.record(since());
    };
    try {
      await kind.run(target, onText);
      for (const { whole } of [all, tally]) whole.record(since());
    } catch (error) {
      for (const { errors } of [all, tally]) errors.push((error as Error).message);
    }
  };
  const started = performance.now();
  const unanswered = new Set<Promise<void>>();
  for (let due = started; due < started + seconds * 1000; due += (-Math.log(1 - Math.random()) * 1000) / rate) {
    const wait = due - performance.now();
    if (wait > 0) await sleep(wait);
    const sent = send(due).finally(() => unanswered.delete(sent));
    unanswered.add(sent);
  }
  await Promise.all(unanswered);
  return tallies;
}

function chooseKind(): Kind {
  let left = Math.random() * 100;
  return KINDS.find(({ share }) => (left -= share) < 0) ?? (KINDS[0] as Kind);
}
