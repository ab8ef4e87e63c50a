import type pg from 'pg';

/** A connection that sees the rows of all users and all identities. */
export type MoveClient = Pick<pg.Client, 'query'>;
