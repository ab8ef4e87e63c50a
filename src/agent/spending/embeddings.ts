import { type Embedder, EmbeddingFailure } from '#domain/embedder.ts';
import { NotFound } from '#domain/errors.ts';
import type { Principal } from '#domain/principal.ts';
import type { ModelCall, SpendingLimits } from '#domain/spending.ts';
import { NO_USAGE } from '#domain/usage.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { findBudget, findSpentToday } from '#store/spending/budgets.ts';
import { countModelCall } from '#store/system/model-calls.ts';
import { checkBudget, isLimited } from './budget.ts';

export type Embeddings = ReturnType<typeof createEmbeddings>;

/** How many texts one call of the provider has. */
const BATCH = 64;
/** For providers that don't count tokens. */
const CHARACTERS_PER_TOKEN = 4;

type EmbeddingParts = {
  readonly db: Database;
  readonly engine: Pick<Engine, 'system' | 'replica'>;
  /** undefined when none is configured. */
  readonly embedder: Embedder | undefined;
  /** Daily limits of users without their own. */
  readonly limits: SpendingLimits;
};

/** The embedding model for callers. Each call is within the user's limits, and is counted. */
export function createEmbeddings({ db, engine, embedder, limits }: EmbeddingParts) {
  return {
    /** Throws `BudgetExceeded`, `EmbeddingFailure`, or the reason of `signal`. */
    async embed(owner: Principal, texts: readonly string[], signal: AbortSignal) {
      if (!embedder)
        throw new NotFound(
          'No embedding model is configured. Set EMBEDDING_MODEL, such as text-embedding-3-small, and restart the service.',
        );
      const vectors: number[][] = [];
      let tokens = 0;
      for (let from = 0; from < texts.length; from += BATCH) {
        const { own, spent } = await withOwner(db, owner, async (trx) => ({
          own: (await findBudget(trx, owner)) ?? limits,
          spent: await findSpentToday(trx, owner),
        }));
        if (isLimited(own)) checkBudget(own, spent);
        const answer = await embedBatch(embedder, owner, texts.slice(from, from + BATCH), signal);
        vectors.push(...answer.vectors);
        tokens += answer.tokens;
      }
      return { model: embedder.model, vectors, tokens };
    },
  };

  async function embedBatch(model: Embedder, owner: Principal, texts: readonly string[], signal: AbortSignal) {
    const startedAt = performance.now();
    let tokens = Math.ceil(texts.join('').length / CHARACTERS_PER_TOKEN);
    const count = (failed: boolean) => {
      const [provider = '', ...name] = model.model.split('/');
      const usage = { ...NO_USAGE, inputTokens: failed ? 0 : tokens, cost: null };
      const milliseconds = performance.now() - startedAt;
      const call: ModelCall = { provider, model: name.join('/'), usage, milliseconds, failed };
      return countModelCall(engine.system, engine.replica, owner.userId, call);
    };
    try {
      const vectors = await model.embed(texts, signal, (counted) => {
        tokens = counted;
      });
      await count(false);
      return { vectors, tokens };
    } catch (error) {
      if (error instanceof EmbeddingFailure) await count(true);
      throw error;
    }
  }
}
