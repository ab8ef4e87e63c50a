import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { CLOCK_SKEW_SECONDS, type OidcSettings, type Provider } from './oidc-provider.ts';

/** The provider's claims about a person, from a token with a valid signature. */
export type Claims = {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly emailVerified: boolean;
};

export type VerifiedToken = { readonly claims: Claims; readonly validUntil: Date };

/** Only asymmetric algorithms: with a shared secret, anyone who can check a token can also create one. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** A logout token has the same keys and audience, and must not authenticate anyone. */
const TYPES = ['jwt', 'at+jwt', 'application/at+jwt'];

/** Undefined when the token is invalid. Throws `ProviderAway` when it can't be checked. */
export async function verifyIdToken(
  provider: Provider,
  { clientId }: OidcSettings,
  token: string,
): Promise<VerifiedToken | undefined> {
  try {
    const { issuer } = (await provider.getConfiguration()).serverMetadata();
    const getKey: JWTVerifyGetKey = (header, input) => provider.getKey(header, input);
    const { payload, protectedHeader } = await jwtVerify(token, getKey, {
      issuer,
      audience: clientId,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_SKEW_SECONDS,
      requiredClaims: ['sub', 'exp'],
    });
    if (!TYPES.includes(protectedHeader.typ?.toLowerCase() ?? 'jwt')) return undefined;
    if (!isMadeFor(payload, clientId) || !isSubject(payload.sub)) return undefined;
    return { claims: toClaims(payload, issuer), validUntil: endOf(payload) };
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

/** A token for several audiences names the client it was issued to; another client's token must not be accepted here. */
const isMadeFor = ({ aud, azp }: JWTPayload, clientId: string) =>
  azp === undefined ? !Array.isArray(aud) || aud.length === 1 : azp === clientId;

const endOf = ({ exp = 0 }: JWTPayload) => new Date((exp + CLOCK_SKEW_SECONDS) * 1000);

/** At most 255 printable ASCII characters, as the OpenID specification requires. */
const isSubject = (sub: unknown): boolean => typeof sub === 'string' && /^[\x20-\x7e]{1,255}$/.test(sub);

const LONGEST_NAME = 200;
const LONGEST_EMAIL = 320;
const EMAIL = /^[^@\s\p{Control}]+@[^@\s\p{Control}]+$/u;

export function toClaims(payload: Readonly<Record<string, unknown>>, issuer: string): Claims {
  const { sub, name, email, email_verified: emailVerified } = payload;
  return {
    issuer,
    subject: String(sub),
    name: typeof name === 'string' ? toName(name) : undefined,
    email:
      typeof email === 'string' && email.length <= LONGEST_EMAIL && EMAIL.test(email) ? email.toLowerCase() : undefined,
    emailVerified: emailVerified === true,
  };
}

function toName(given: string): string | undefined {
  const name = given
    .toWellFormed()
    .replace(/\p{Control}+/gu, ' ')
    .trim()
    .slice(0, LONGEST_NAME)
    .toWellFormed();
  return name === '' ? undefined : name;
}
