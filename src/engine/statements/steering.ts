import type { Steers } from '#domain/thread/turn.ts';

/** In a statement that reads `turns`: whether messages wait that steer the turn, and when the first of them is to be read. */
export const STEERING = `(select min(queued.steers) from turns as queued
  where queued.thread_id = turns.thread_id and queued.status = 'queued' and queued.steers is not null)`;

/** What `STEERING` selects. */
export type Steering = Steers | null;
