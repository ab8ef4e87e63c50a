const MOST_BYTES = 16_384;

/** Whether a token has the form of a signed JSON Web Token. Nothing is known of its signature yet. */
export const isJwt = (token: string): boolean => token.length <= MOST_BYTES && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);

/** When a token of that form expires; only for one whose signature was checked. */
export function expiryOf(token: string): Date {
  const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const exp = typeof payload === 'object' && payload !== null && 'exp' in payload ? Number(payload.exp) : 0;
  return new Date(exp * 1000);
}
