import type { ProjectId, ThreadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { Channel } from '#domain/thread/turn.ts';
import { findPreferences } from '#store/accounts/preferences.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { findProjectModel } from '#store/projects/projects.ts';
import { findNewestModel } from '#store/threads/turn-details.ts';

type Message = {
  readonly threadId: ThreadId | undefined;
  readonly channel: Channel;
  readonly request: { readonly model: string | null; readonly project?: ProjectId };
};

/**
 * The model for a message. A chat message that names none continues with the model of its thread's newest turn; the first
 * message of a thread gets the one of its project, or else the user's default.
 */
export async function chooseModel(db: Database, owner: Principal, message: Message): Promise<string | null> {
  const { threadId, channel, request } = message;
  if (channel !== 'gateway' || request.model !== null) return request.model;
  return withOwner(db, owner, async (trx) => {
    if (threadId) return findNewestModel(trx, owner, threadId);
    const ofProject = request.project && (await findProjectModel(trx, owner, request.project));
    return ofProject || (await findPreferences(trx, owner)).defaultModel;
  });
}
