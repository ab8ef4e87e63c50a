import type { UserId } from '#domain/principal.ts';
import type { MoveClient } from './move-client.ts';

/** Why a user can't move, in words; undefined if nothing is in the way. A move that has started is not judged again. */
export async function findObstacle(
  { source, target }: { readonly source: MoveClient; readonly target: MoveClient },
  subject: UserId,
  { hasSameBucket }: { readonly hasSameBucket: boolean },
): Promise<string | undefined> {
  const { rows } = await source.query<Found>(FIND, [subject]);
  const [found] = rows;
  if (!found || found.isMoving) return undefined;
  if (found.isErased) return 'This user is being erased.';
  if (found.hasChats)
    return 'This user is linked to a chat platform, and chats belong to their cell. Remove the link first.';
  if (found.hasObjects && !hasSameBucket)
    return 'Attachments of this user are in a bucket that the other cell does not use. Give both the same ATTACHMENTS_ settings.';
  const { rows: taken } = await target.query(
    `select from users where id = $1 or (removed_at is null and (email = $2 or lower(name) = lower($3)))
       or (oidc_issuer = $4 and oidc_subject = $5)`,
    [subject, found.email, found.name, found.issuer, found.oidcSubject],
  );
  if (taken.length > 0) return 'The other cell has a user with the same name, email or identity.';
  return undefined;
}

type Found = {
  readonly name: string;
  readonly email: string | null;
  readonly issuer: string | null;
  readonly oidcSubject: string | null;
  readonly isMoving: boolean;
  readonly isErased: boolean;
  readonly hasChats: boolean;
  readonly hasObjects: boolean;
};

const FIND = `
  select name, email, oidc_issuer as issuer, oidc_subject as "oidcSubject",
    exists (select from user_moves where subject = users.id and state <> 'arrived') as "isMoving",
    exists (select from erasures where subject = users.id and completed_at is null) as "isErased",
    exists (select from chat_links where user_id = users.id)
      or exists (select from chat_inbox where user_id = users.id and ended_at is null) as "hasChats",
    exists (select from attachments where user_id = users.id and object_key is not null) as "hasObjects"
  from users where id = $1`;
