import { sql } from 'kysely';
import type { Spent } from '#domain/spending.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/** What the owner's turns with these settings have used today. */
export async function readWorkDay(trx: OwnedTransaction, owner: Owner, work: string): Promise<Spent> {
  const { rows } = await sql<Spent>`
    select coalesce(sum(tokens), 0)::float8 as tokens, coalesce(sum(usd), 0) as usd from work_days
    where user_id = ${owner.userId} and work = ${work} and day = (now() at time zone 'utc')::date`.execute(trx);
  return rows[0] ?? { tokens: 0, usd: 0 };
}
