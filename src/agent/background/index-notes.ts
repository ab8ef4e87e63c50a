import { repeat } from '#engine/repeat.ts';
import type { IndexPlan, IndexReport } from '#store/notes/build-note-indexes.ts';
import type { ManyNotes } from '#store/system/notes.ts';

export type IndexPace = {
  readonly lookEveryMs: number;
  /** How many notes of one user are worth an index. */
  readonly least: number;
};

type IndexOptions = {
  readonly findMany: (asked: { model: string; least: number; limit: number }) => Promise<ManyNotes[]>;
  /** The embedding model. */
  readonly model: string;
  readonly build: (plan: IndexPlan, signal: AbortSignal) => Promise<IndexReport>;
  readonly pace?: Partial<IndexPace> | undefined;
  /** Why notes that are worth an index have none. Told once. */
  readonly onProblem: (problem: string) => void;
  readonly onError: (error: unknown) => void;
};

/** Below so many notes a look at each is about as fast, as the figures in docs/memory.md show. */
const PACE: IndexPace = { lookEveryMs: 5 * 60_000, least: 5000 };
/** Each of them costs everybody's searches a little, so only those with the most notes get one. */
const MOST_INDEXES = 16;

/** Keeps an index over the vectors of everybody who has very many. */
export function startIndexingNotes(options: IndexOptions) {
  const stopping = new AbortController();
  const { lookEveryMs, least } = { ...PACE, ...options.pace };
  let told: string | undefined;

  async function look(): Promise<void> {
    const { problem } = await options.build(await makePlan(options, least), stopping.signal);
    if (problem !== undefined && problem !== told) options.onProblem(problem);
    told = problem ?? told;
  }
  const chore = repeat(lookEveryMs, look, options.onError);
  return {
    stop: async (): Promise<void> => {
      stopping.abort();
      await chore.stop();
    },
  };
}

/** Whoever has lost up to half of the notes keeps the index, or one at the border would be built again and again. */
async function makePlan({ findMany, model }: IndexOptions, least: number): Promise<IndexPlan> {
  const many = await findMany({ model, least: Math.ceil(least / 2), limit: MOST_INDEXES });
  const indexes = many.map(({ userId, dimensions, count }) => ({ userId, dimensions, model, count }));
  return {
    wanted: indexes.filter(({ count }) => count >= least),
    tolerated: indexes.filter(({ count }) => count < least),
  };
}
