/** Turns texts into vectors that lie close together when their meanings do. */
export type Embedder = {
  /** Tells vectors of one model from those of another: they can't be compared. */
  readonly model: string;
  /** One vector for each text, in their order. Throws `EmbeddingFailure`, or the signal's reason when aborted. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<number[][]>;
};

export class EmbeddingFailure extends Error {
  override readonly name = 'EmbeddingFailure';
  /** The texts were refused, as opposed to a model that can't be reached or has no time. */
  readonly refused: boolean;

  constructor(refused: boolean, message: string, options?: ErrorOptions) {
    super(message, options);
    this.refused = refused;
  }
}
