import { inspect } from 'node:util';

/** A value that shows itself only when asked to: not in a log line, an error, JSON or `console.log`. */
export type Secret = {
  reveal(): string;
  toString(): string;
  readonly expiresAt: Date | null;
};

const HIDDEN = '[secret]';

export function hideValue(value: string, expiresAt: Date | null = null): Secret {
  // The value lives in the closure alone, where no serializer looks.
  const secret = { reveal: () => value, expiresAt };
  const hide = { value: () => HIDDEN };
  return Object.defineProperties(secret, { toString: hide, toJSON: hide, [inspect.custom]: hide });
}

/** A token is renewed when it has no more than this to live, so that it lasts for the request it is fetched for. */
const MARGIN_MS = 60_000;

/** A token that lives for a minute must not be renewed with each use. */
const MARGIN_SHARE = 0.2;

export function isDue({ expiresAt }: Secret, lifetimeMs = Infinity): boolean {
  return expiresAt !== null && expiresAt.getTime() - Math.min(MARGIN_MS, lifetimeMs * MARGIN_SHARE) <= Date.now();
}

export function unlessExpired(token: Secret | undefined): Secret | undefined {
  return token?.expiresAt && token.expiresAt.getTime() <= Date.now() ? undefined : token;
}
