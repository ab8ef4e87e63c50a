import { isToken, newToken } from './operator-token.ts';

const PREFIX = 'reborn_';

/** A recognisable prefix, so that scanners find published tokens, and 256 random bits. */
export const newUserToken = (): string => PREFIX + newToken();

export const isUserToken = (text: string): boolean => text.startsWith(PREFIX) && isToken(text.slice(PREFIX.length));
