import { sql } from 'kysely';
import type { Skill, SkillSummary } from '#domain/tool/skill.ts';
import type { Audited } from '../audit.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/** The owner of the skills and assistants shared with all users. */
export const EVERYONE: Owner = { userId: '*' };

/** Stores the skill, replacing one with the same name. */
export async function putSkill(trx: Audited<OwnedTransaction>, owner: Owner, skill: Skill): Promise<void> {
  const { name, description } = skill;
  const files = JSON.stringify(skill.files);
  await trx
    .insertInto('skills')
    .values({ userId: owner.userId, name, description, files })
    .onConflict((known) =>
      known.columns(['userId', 'name']).doUpdateSet({ description, files, updatedAt: sql<Date>`clock_timestamp()` }),
    )
    .execute();
}

export function listSkills(trx: OwnedTransaction, owner: Owner): Promise<SkillSummary[]> {
  return trx
    .selectFrom('skills')
    .select(['name', 'description'])
    .where('userId', '=', owner.userId)
    .orderBy('name')
    .execute();
}

export function findSkill(trx: OwnedTransaction, owner: Owner, name: string): Promise<Skill | undefined> {
  return trx
    .selectFrom('skills')
    .select(['name', 'description', 'files'])
    .where('userId', '=', owner.userId)
    .where('name', '=', name)
    .executeTakeFirst();
}

/** Returns false when there was none. */
export async function deleteSkill(trx: Audited<OwnedTransaction>, owner: Owner, name: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('skills')
    .where('userId', '=', owner.userId)
    .where('name', '=', name)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
