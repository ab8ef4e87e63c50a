import type { ProjectId, ThreadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { Channel, TurnRequest } from '#domain/thread/turn.ts';
import { type Assistant, assistantInModel, type TurnAssistant } from '#domain/work/assistant.ts';
import { findPreferences } from '#store/accounts/preferences.ts';
import { findByName } from '#store/assistants/assistants.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import { findProjectDefaults } from '#store/projects/projects.ts';
import { findNewestRequest } from '#store/threads/turn-details.ts';
import { getByName } from '../assistants/assistants.ts';

type Message = {
  readonly threadId: ThreadId | undefined;
  readonly channel: Channel;
  readonly request: { readonly model: string | null; readonly project?: ProjectId };
  readonly assistant?: string | null | undefined;
};

type Chosen = Pick<TurnRequest, 'model' | 'assistant'>;

/**
 * The model and the assistant for a message. An assistant is named as such, or as the model `agent/<name>`. A chat message continues
 * with what it does not name of its thread's newest turn. The first message of a thread gets the assistant and the model of its
 * project, or else the user's default model.
 */
export async function chooseWork(db: Database, owner: Principal, message: Message): Promise<Chosen> {
  const { channel, request } = message;
  const inModel = assistantInModel(request.model);
  const model = inModel === undefined ? request.model : null;
  const named = inModel ?? message.assistant;
  if (typeof named === 'string')
    return withOwner(db, owner, async (trx) => {
      const param = inModel === undefined ? 'assistant' : 'model';
      return { model, assistant: toTurn(await getByName(trx, owner, named, param)) };
    });
  const hasDefaults = message.threadId !== undefined || request.project !== undefined;
  const isNamed = model !== null && (named === null || !hasDefaults);
  if (channel !== 'gateway' || isNamed) return { model };
  return withOwner(db, owner, (trx) => continueWith(trx, owner, message));
}

async function continueWith(
  trx: OwnedTransaction,
  owner: Principal,
  { threadId, assistant, request }: Message,
): Promise<Chosen> {
  if (!threadId) return beginWith(trx, owner, { assistant, request });
  const { model = null, ...newest } = (await findNewestRequest(trx, owner, threadId)) ?? {};
  return { model: request.model ?? model, ...(assistant !== null && (await newestOf(trx, owner, newest))) };
}

async function beginWith(
  trx: OwnedTransaction,
  owner: Principal,
  { assistant, request: { model, project } }: Pick<Message, 'assistant' | 'request'>,
): Promise<Chosen> {
  const usual = project && (await findProjectDefaults(trx, owner, project));
  const found = assistant !== null && usual?.assistant ? await findByName(trx, owner, usual.assistant) : undefined;
  if (found) return { model, assistant: toTurn(found) };
  return { model: model ?? (usual?.model ? null : (await findPreferences(trx, owner)).defaultModel) };
}

/** The same for another answer to a message, perhaps by another model. */
export async function chooseAgain(
  trx: OwnedTransaction,
  owner: Principal,
  asked: Chosen,
  model: string | undefined,
): Promise<Chosen> {
  const named = assistantInModel(model ?? null);
  if (named !== undefined) return { model: null, assistant: toTurn(await getByName(trx, owner, named, 'model')) };
  return { model: model ?? asked.model, ...(await newestOf(trx, owner, asked)) };
}

/** Changes take effect with the next turn. An assistant that was deleted is not continued with. */
async function newestOf(
  trx: OwnedTransaction,
  owner: Principal,
  { assistant }: Pick<Chosen, 'assistant'>,
): Promise<Pick<Chosen, 'assistant'>> {
  const found = assistant && (await findByName(trx, owner, assistant.name));
  return found ? { assistant: toTurn(found) } : {};
}

const toTurn = ({ id, name, version }: Assistant): TurnAssistant => ({ id, name, version });
