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
