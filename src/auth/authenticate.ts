import type { Cell } from '#domain/cell/cell.ts';
import { OPERATOR, type Principal } from '#domain/principal.ts';
import { hashSecret, isSameHash } from '#domain/secret-hash.ts';

/** The result of checking a token. */
export type Verdict =
  | { readonly outcome: 'known'; readonly principal: Principal }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'domain-not-allowed' }
  /**
   * The user is in another cell. `isGuess`: this cell does not know them, and only assumes that the other one does. `voucher`: the proof
   * for the other cell that the user belongs there.
   */
  | { readonly outcome: 'elsewhere'; readonly cell: Cell; readonly isGuess: boolean; readonly voucher?: string }
  /** The user is on the way to another cell. */
  | { readonly outcome: 'moving' }
  | { readonly outcome: 'database-away' }
  | { readonly outcome: 'provider-away' };

export type Refusal = Exclude<Verdict, { outcome: 'known' }>;

/** `isRepeated`: another cell has sent the request here. */
export type Authenticate = (token: string, isRepeated?: boolean) => Promise<Verdict>;

export type AuthenticateOptions = {
  /** Each of them authenticates the operator. */
  readonly operatorTokens: readonly string[];
  readonly isReachable: () => Promise<boolean>;
  /** Looks up a token that is not one of the operator's. */
  readonly recognise: (token: string, hash: Buffer, isRepeated: boolean) => Promise<Verdict>;
  /** Whether an error means that the database is unavailable. */
  readonly isAway: (error: unknown) => boolean;
};

/** Authenticates tokens. Only hashes are kept and compared, in constant time. */
export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const known = options.operatorTokens.map(hashSecret);
  return async (token, isRepeated = false) => {
    // Without the database even the operator's token is refused, before any work starts.
    if (!(await options.isReachable())) return { outcome: 'database-away' };
    const given = hashSecret(token);
    const matches = known.filter((hash) => isSameHash(hash, given));
    if (matches.length > 0) return { outcome: 'known', principal: OPERATOR };
    try {
      return await options.recognise(token, given, isRepeated);
    } catch (error) {
      if (options.isAway(error)) return { outcome: 'database-away' };
      throw error;
    }
  };
}

const MOST_BYTES = 16_384;

/** Whether a token has the form of a signed JSON Web Token. Its signature is not checked here. */
export const isJwt = (token: string): boolean => token.length <= MOST_BYTES && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);

/** When such a token expires; only for a token whose signature was checked. */
export function expiryOf(token: string): Date {
  const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const exp = typeof payload === 'object' && payload !== null && 'exp' in payload ? Number(payload.exp) : 0;
  return new Date(exp * 1000);
}
