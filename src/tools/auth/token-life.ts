import type { Secret } from '../secrets/secret.ts';

/** A token is renewed when it has no more than this to live, so that it lasts for the request it is fetched for. */
const MARGIN_MS = 60_000;

export function isDue({ expiresAt }: Secret): boolean {
  return expiresAt !== null && expiresAt.getTime() - MARGIN_MS <= Date.now();
}

export function unlessExpired(token: Secret | undefined): Secret | undefined {
  return token?.expiresAt && token.expiresAt.getTime() <= Date.now() ? undefined : token;
}
