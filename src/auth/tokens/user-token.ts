import { isToken, newToken } from './operator-token.ts';

const PREFIX = 'reborn_';

/** A recognisable prefix, so that scanners find published tokens, and 256 random bits. */
export const newUserToken = (): string => PREFIX + newToken();

/** The token without its prefix. */
export const bareToken = (token: string): string => token.slice(PREFIX.length);

export const isUserToken = (text: string): boolean => text.startsWith(PREFIX) && isToken(bareToken(text));
