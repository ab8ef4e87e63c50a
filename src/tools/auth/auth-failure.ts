/** A credential could not be obtained. The message is for the person who signs in. */
export class AuthFailure extends Error {
  override readonly name = 'AuthFailure';
  /** The provider's own word for it, such as `access_denied` or `invalid_grant`. */
  readonly code: string | undefined;

  constructor(message: string, options: { readonly code?: string | undefined; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = options.code;
  }
}
