import { backoff } from '#domain/backoff.ts';
import { type Embedder, EmbeddingFailure } from '#domain/embedder.ts';
import { type Database, type Owner, withOwner } from '#store/connection.ts';
import {
  type EmbeddedText,
  postponeEmbedding,
  recordEmbeddings,
  takeWaitingTexts,
  type WaitingText,
} from '#store/search/embeddings.ts';
import type { SearchSource } from '#store/search/search-source.ts';

export type EmbeddingPace = {
  /** How long texts wait after the first failure; the wait doubles each time. */
  readonly firstWaitSeconds: number;
  readonly longestWaitSeconds: number;
  /** How long the model may take for a batch. */
  readonly timeoutMs: number;
};

type EmbeddingOptions = {
  readonly source: SearchSource;
  readonly embedder: Embedder;
  readonly signal: AbortSignal;
  readonly pace?: Partial<EmbeddingPace>;
};

const PACE: EmbeddingPace = { firstWaitSeconds: 5, longestWaitSeconds: 3600, timeoutMs: 60_000 };
const BATCH = 64;
const LEASE_SECONDS = 120;
/** Models read about 8,000 tokens; the topic of a text is usually at its start. */
const MAX_LENGTH = 8000;

/**
 * Creates the vectors of one owner's notes or passages with this model, until none is due or the model fails. Resolves to the
 * failure; the affected texts become due again later.
 */
export async function embedTexts(
  db: Database,
  owner: Owner,
  options: EmbeddingOptions,
): Promise<EmbeddingFailure | undefined> {
  const take = { model: options.embedder.model, count: BATCH, leaseSeconds: LEASE_SECONDS };
  while (!options.signal.aborted) {
    const texts = await withOwner(db, owner, (trx) => takeWaitingTexts(trx, owner, options.source, take));
    if (texts.length === 0) return undefined;
    const failure = await embedBatch(db, owner, texts, options);
    if (failure) return failure;
  }
  return undefined;
}

/** If a batch is refused, it is split in halves until the text that can't be embedded is found, so that the others are not delayed. */
async function embedBatch(
  db: Database,
  owner: Owner,
  texts: readonly WaitingText[],
  options: EmbeddingOptions,
): Promise<EmbeddingFailure | undefined> {
  const made = await askForVectors(texts, options);
  if (!(made instanceof EmbeddingFailure)) {
    await withOwner(db, owner, (trx) => recordEmbeddings(trx, owner, options.source, options.embedder.model, made));
    return undefined;
  }
  if (made.refused && texts.length > 1) {
    const middle = Math.ceil(texts.length / 2);
    const failure = await embedBatch(db, owner, texts.slice(0, middle), options);
    return (await embedBatch(db, owner, texts.slice(middle), options)) ?? failure;
  }
  const keys = texts.map(({ key }) => key);
  const wait = waitSeconds(texts, options.pace);
  await withOwner(db, owner, (trx) => postponeEmbedding(trx, owner, options.source, keys, wait));
  return made;
}

async function askForVectors(
  texts: readonly WaitingText[],
  { embedder, signal, pace }: EmbeddingOptions,
): Promise<EmbeddedText[] | EmbeddingFailure> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(pace?.timeoutMs ?? PACE.timeoutMs)]);
    const vectors = await embedder.embed(texts.map(textToEmbed), limit);
    return texts.map(({ key, text }, index) => ({ key, text, vector: unitVectorAt(vectors, index) }));
  } catch (error) {
    if (error instanceof EmbeddingFailure) return error;
    return new EmbeddingFailure(false, 'The embedding model did not answer in time.', { cause: error });
  }
}

function unitVectorAt(vectors: readonly number[][], index: number): number[] {
  const vector = toUnitVector(vectors[index] ?? []);
  if (!vector) throw new EmbeddingFailure(true, 'The embedding model returned a zero or invalid vector.');
  return vector;
}

function waitSeconds(texts: readonly WaitingText[], pace: Partial<EmbeddingPace> = {}): number {
  const { firstWaitSeconds, longestWaitSeconds } = { ...PACE, ...pace };
  const attempts = Math.min(...texts.map((each) => each.attempts));
  return backoff(attempts, { first: firstWaitSeconds, longest: longestWaitSeconds, jitter: 0.2 });
}

const textToEmbed = ({ title, text }: WaitingText) => `${title}\n${text}`.slice(0, MAX_LENGTH).toWellFormed();

/** The vector scaled to length 1, so that a dot product is a cosine; undefined when it has no direction. */
export function toUnitVector(vector: readonly number[]): number[] | undefined {
  const length = Math.hypot(...vector);
  return length > 0 && Number.isFinite(length) ? vector.map((value) => value / length) : undefined;
}
