/** Not sent: the request is not allowed, or its host is not on the public internet. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';
}

/** Sent, or at least tried: no complete answer came back in time. */
export class EgressFailed extends Error {
  override readonly name = 'EgressFailed';
}

/** Describes the error by its code alone, because the original message may contain addresses. */
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
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
  ETIMEDOUT: 'the connection timed out',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of its answer are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'its answer is shorter than declared',
};
