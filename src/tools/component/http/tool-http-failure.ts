/** The host won't make this request. Like all messages here, its own is written for the tool, and holds no secret. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
}

/** The request was sent, but the answer is missing or unusable. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';
}

/** The request needs a secret that its owner has not stored yet. */
export class CredentialMissing extends Error {
  override readonly name = 'CredentialMissing';
  readonly secretName: string;

  constructor(secretName: string) {
    super(`The secret ${secretName} is not set. Its owner has to set it before this request can be made.`);
    this.secretName = secretName;
  }
}
