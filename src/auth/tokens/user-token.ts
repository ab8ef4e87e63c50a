import { isToken, newToken } from './operator-token.ts';

const PREFIX = 'reborn_';

/** Recognisable, so that a scanner finds one that was published, and 256 random bits. */
export const newUserToken = (): string => PREFIX + newToken();

export const isUserToken = (text: string): boolean => text.startsWith(PREFIX) && isToken(text.slice(PREFIX.length));
