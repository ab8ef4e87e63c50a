import type pg from 'pg';

/** A connection that sees the rows of all users. Only the queries in this folder accept one; the engine provides it. */
export type SystemConnection = Pick<pg.Pool, 'query'>;
