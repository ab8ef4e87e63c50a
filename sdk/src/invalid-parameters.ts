/** The model sent params that the tool can't use. It reads the detail and tries again. */
export class InvalidParameters extends Error {
  override name = 'InvalidParameters';

  constructor(detail: string) {
    super(`Invalid parameters: ${detail}`);
  }
}
