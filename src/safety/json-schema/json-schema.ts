import { GivenUp, runInWorker } from '../worker-threads/worker-pool.ts';

type Schema = Readonly<Record<string, unknown>>;

const DEADLINE_MS = 5000;

/** Why a caller's schema can't be used; undefined when it can. */
export function findSchemaProblem(schema: Schema, lane: string): Promise<string | undefined> {
  return check('findSchemaProblem', { schema }, lane);
}

/** Why a text is not JSON that fits the schema; undefined when it is. */
export function findMisfit(schema: Schema, text: string, lane: string): Promise<string | undefined> {
  return check('findMisfit', { schema, text }, lane);
}

/** In another thread: a `pattern` may never finish. */
async function check(run: string, input: object, lane: string): Promise<string | undefined> {
  try {
    return await runInWorker({
      program: 'safety/json-schema/schema-checks',
      run,
      input,
      lane,
      deadlineMs: DEADLINE_MS,
    });
  } catch (error) {
    if (error instanceof GivenUp) return 'checking it takes too long';
    throw error;
  }
}
