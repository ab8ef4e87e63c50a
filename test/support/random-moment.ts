import { setTimeout as sleep } from 'node:timers/promises';

/** A random moment within a span: a crash may come at any time, and people don't send at fixed intervals. */
export const randomMoment = (most: number, least = 0): Promise<void> => sleep(least + Math.random() * (most - least));
