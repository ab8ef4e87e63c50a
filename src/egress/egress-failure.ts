/** Never sent: the request asks for something that is not allowed, or for a host that is not on the public internet. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';
}

/** Sent, or at least tried: no whole answer came back in time. */
export class EgressFailed extends Error {
  override readonly name = 'EgressFailed';
}

/** Tells what went wrong by its code alone: a message of the network's own may hold addresses. */
export function toEgressFailure(host: string, error: unknown): EgressRefused | EgressFailed {
  if (error instanceof EgressRefused || error instanceof EgressFailed) return error;
  const code = codeOf(error);
  return new EgressFailed(`The request to ${host} failed: ${REASONS[code] ?? 'the connection broke'} (${code}).`, {
    cause: error,
  });
}

/** An error's code, such as ECONNRESET. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'no code';
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'the connection was cut',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  ETIMEDOUT: 'it did not take the connection',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by nobody we trust',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by nobody we trust',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by nobody we trust',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of its answer are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'its answer is shorter than it said',
};
