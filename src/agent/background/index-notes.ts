import { repeat } from '#engine/repeat.ts';
import type { IndexPlan, IndexReport } from '#store/notes/build-note-indexes.ts';
import type { ManyNotes } from '#store/system/texts.ts';

export type IndexPace = {
  readonly pollEveryMs: number;
  /** How many notes of one user are worth an index. */
  readonly least: number;
};

type IndexOptions = {
  readonly findMany: (asked: { model: string; least: number; limit: number }) => Promise<ManyNotes[]>;
  /** The embedding model. */
  readonly model: string;
  readonly build: (plan: IndexPlan, signal: AbortSignal) => Promise<IndexReport>;
  readonly pace?: Partial<IndexPace> | undefined;
  /** Called once with the reason why indexes can't be built. */
  readonly onProblem: (problem: string) => void;
  readonly onError: (error: unknown) => void;
};

/** With fewer notes a scan is about as fast; see docs/use/memory.md. */
const PACE: IndexPace = { pollEveryMs: 5 * 60_000, least: 5000 };
/** Each index slows every search a little, so only the users with the most notes get one. */
const MOST_INDEXES = 16;

/** Maintains a vector index for each user with very many notes. */
export function startIndexingNotes(options: IndexOptions) {
  const stopping = new AbortController();
  const { pollEveryMs, least } = { ...PACE, ...options.pace };
  let told: string | undefined;

  async function poll(): Promise<void> {
    const { problem } = await options.build(await makePlan(options, least), stopping.signal);
    if (problem !== undefined && problem !== told) options.onProblem(problem);
    told = problem ?? told;
  }
  const task = repeat(pollEveryMs, poll, options.onError);
  return {
    stop: async (): Promise<void> => {
      stopping.abort();
      await task.stop();
    },
  };
}

/** A user keeps the index until half of the notes are gone. Otherwise, one at the limit would be rebuilt again and again. */
async function makePlan({ findMany, model }: IndexOptions, least: number): Promise<IndexPlan> {
  const many = await findMany({ model, least: Math.ceil(least / 2), limit: MOST_INDEXES });
  const indexes = many.map(({ userId, dimensions, count }) => ({ userId, dimensions, model, count }));
  return {
    wanted: indexes.filter(({ count }) => count >= least),
    tolerated: indexes.filter(({ count }) => count < least),
  };
}
