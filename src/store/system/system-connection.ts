import type pg from 'pg';

/** A connection that sees the rows of all users. Only the queries in this folder take one; the engine lends its own. */
export type SystemConnection = Pick<pg.Pool, 'query'>;
