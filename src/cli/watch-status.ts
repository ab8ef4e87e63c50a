import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, createClient } from '@reborn-agent/client';
import type { Activity, ReplicaList } from '@reborn-agent/client/api';
import type { RunningService } from './connect/running-service.ts';
import { printJsonLine, printLine } from './print.ts';

const LINES_PER_HEADER = 20;
const COLUMNS = [
  'time    ',
  'replicas',
  'running',
  'queued',
  'waiting',
  'oldest',
  'turns/min',
  'failed',
  'wait',
  'turn',
];

type Look = { readonly at: Date; readonly replicas: ReplicaList; readonly activity: Activity };

/** Prints a line with the figures of all replicas every few seconds, until it is interrupted. */
export async function watchStatus(
  { url }: RunningService,
  token: string,
  { seconds, json }: { readonly seconds: number; readonly json: boolean },
): Promise<void> {
  const client = createClient({ url, token });
  for (let line = 0; ; line++) {
    const at = new Date();
    if (!json && line % LINES_PER_HEADER === 0) printLine(COLUMNS.join('  '));
    try {
      const signal = AbortSignal.timeout(seconds * 1000);
      const [replicas, activity] = await Promise.all([
        client.call('GET /api/replicas', { signal }),
        client.call('GET /api/activity', { signal }),
      ]);
      const look = { at, replicas, activity };
      if (json) printJsonLine(figuresOf(look));
      else printLine(toLine(look));
    } catch (error) {
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) throw error;
      if (json) printJsonLine({ at: at.toISOString(), answers: false });
      else printLine(`${timeOf(at)}  no answer`);
    }
    await sleep(Math.max(0, at.getTime() + seconds * 1000 - Date.now()));
  }
}

/** The current figures. Turns are counted in the last full minute. */
export function figuresOf({ at, replicas: { replicas, queue }, activity }: Look) {
  const minute = new Date(Math.floor(at.getTime() / 60_000 - 1) * 60_000).toISOString();
  const turns = activity.minutes.find((each) => each.at === minute);
  return {
    at: at.toISOString(),
    answers: true,
    replicas: replicas.length,
    ...queue,
    ended_last_minute: turns?.ended ?? 0,
    failed_last_minute: turns?.failed ?? 0,
    wait_ms: turns?.wait_ms ?? null,
    duration_ms: turns?.duration_ms ?? null,
  };
}

export function toLine(look: Look): string {
  const figures = figuresOf(look);
  const inSeconds = (ms: number | null) => (ms === null ? '-' : `${(ms / 1000).toFixed(1)} s`);
  const cells = [
    timeOf(look.at),
    figures.replicas,
    figures.running,
    figures.queued,
    figures.waiting,
    figures.oldest_seconds === null ? '-' : `${figures.oldest_seconds} s`,
    figures.ended_last_minute,
    figures.failed_last_minute,
    inSeconds(figures.wait_ms),
    inSeconds(figures.duration_ms),
  ];
  return cells.map((cell, column) => String(cell).padStart(COLUMNS[column]?.length ?? 0)).join('  ');
}

const timeOf = (at: Date) => at.toTimeString().slice(0, 8);
