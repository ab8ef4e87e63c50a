const MOST_BYTES = 16_384;

/** Whether a token has the form of a signed JSON Web Token. Nothing is known of its signature yet. */
export const isJwt = (token: string): boolean => token.length <= MOST_BYTES && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
