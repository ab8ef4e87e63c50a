import type { ThreadId, TurnId } from '#domain/ids.ts';
import type { Audited } from '../audit.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/** A site whose shown links may be opened in one run: until the person's next message. */
export type SiteGrant = { readonly threadId: ThreadId; readonly run: TurnId; readonly site: string };

/** Only for answering a gate. */
export async function insertSiteGrant(trx: Audited<OwnedTransaction>, owner: Owner, grant: SiteGrant): Promise<void> {
  await trx
    .insertInto('siteGrants')
    .values({ ...grant, userId: owner.userId })
    .onConflict((given) => given.doNothing())
    .execute();
}

export async function hasSiteGrant(
  trx: OwnedTransaction,
  owner: Owner,
  { run, site }: Pick<SiteGrant, 'run' | 'site'>,
): Promise<boolean> {
  const row = await trx
    .selectFrom('siteGrants')
    .select('site')
    .where('userId', '=', owner.userId)
    .where('run', '=', run)
    .where('site', '=', site)
    .executeTakeFirst();
  return row !== undefined;
}
