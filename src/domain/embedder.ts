/** Turns texts into vectors that are close together when their meanings are. */
export type Embedder = {
  /** The model of the vectors. Vectors of different models can't be compared. */
  readonly model: string;
  /** One vector for each text, in their order. `onTokens` gets the number of tokens if the provider says it. Throws `EmbeddingFailure`, or the signal's reason when aborted. */
  embed(texts: readonly string[], signal: AbortSignal, onTokens?: (tokens: number) => void): Promise<number[][]>;
};

export class EmbeddingFailure extends Error {
  override readonly name = 'EmbeddingFailure';
  /** The model refused the texts; otherwise it could not be reached or was busy. */
  readonly refused: boolean;

  constructor(refused: boolean, message: string, options?: ErrorOptions) {
    super(message, options);
    this.refused = refused;
  }
}
