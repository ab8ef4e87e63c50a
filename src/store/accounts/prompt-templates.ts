import { sql } from 'kysely';
import type { PromptTemplate } from '#domain/prompt-template.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

export function listTemplates(trx: OwnedTransaction, owner: Owner): Promise<PromptTemplate[]> {
  return trx
    .selectFrom('promptTemplates')
    .select(['name', 'text', 'updatedAt'])
    .where('userId', '=', owner.userId)
    .orderBy('name')
    .execute();
}

export function putTemplate(
  trx: OwnedTransaction,
  owner: Owner,
  { name, text }: Pick<PromptTemplate, 'name' | 'text'>,
): Promise<PromptTemplate> {
  return trx
    .insertInto('promptTemplates')
    .values({ userId: owner.userId, name, text })
    .onConflict((given) => given.columns(['userId', 'name']).doUpdateSet({ text, updatedAt: sql<Date>`now()` }))
    .returning(['name', 'text', 'updatedAt'])
    .executeTakeFirstOrThrow();
}

/** Returns whether there was one. */
export async function deleteTemplate(trx: OwnedTransaction, owner: Owner, name: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('promptTemplates')
    .where('userId', '=', owner.userId)
    .where('name', '=', name)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
