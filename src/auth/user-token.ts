import { newToken } from './operator-token.ts';

const PREFIX = 'reborn_';

/** Recognisable, so that a scanner finds one that was published, and 256 random bits. */
export const newUserToken = (): string => PREFIX + newToken();

/** Whether it is worth a look into the database. */
export const isUserToken = (token: string): boolean => /^reborn_[\w-]{43}$/.test(token);
