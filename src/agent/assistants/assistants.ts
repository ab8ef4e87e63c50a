import { Conflict, InvalidRequest, NotFound } from '#domain/errors.ts';
import { type AssistantId, newId } from '#domain/ids.ts';
import { type Principal, requireOperator } from '#domain/principal.ts';
import { ASSISTANT_NAME, type Assistant, type AssistantVersion, MAX_ASSISTANTS } from '#domain/work/assistant.ts';
import { USUAL_SETTINGS, type WorkSettings } from '#domain/work/work-settings.ts';
import {
  deleteAssistant,
  findAssistant,
  findByName,
  insertAssistant,
  listAssistants,
  listVersions,
  lockAssistant,
  writeVersion,
} from '#store/assistants/assistants.ts';
import { type AuditEntry, audited } from '#store/audit.ts';
import { type Database, type OwnedTransaction, type Owner, withOwner } from '#store/connection.ts';
import { EVERYONE } from '#store/tools/skills.ts';

export type Assistants = ReturnType<typeof createAssistants>;

/** Who may use an assistant: its owner, or everyone if it is an operator's. */
type AssistantHolder = 'me' | 'everyone';

/** What a person asks for. Settings that are left out have a default, or stay as they are. */
export type AskedAssistant = { readonly description?: string } & { readonly settings: Partial<WorkSettings> };

/** Assistants of users, and those that operators share. Missing and foreign ones both throw `NotFound`. No tool can write them: what a page says must not become an instruction. */
export function createAssistants(db: Database) {
  const read = <T>(owner: Owner, act: (trx: OwnedTransaction) => Promise<T>) => withOwner(db, owner, act);

  /** Changes one that the principal may change: their own or, as an operator, a shared one. */
  async function change<T>(
    principal: Principal,
    id: AssistantId,
    act: (trx: OwnedTransaction, owner: Owner, found: Assistant) => Promise<T>,
  ): Promise<T> {
    const known = (await read(principal, (trx) => findAssistant(trx, principal, id))) ?? missing();
    if (holderOf(known) === 'everyone') requireOperator(principal);
    const owner = { userId: known.userId };
    return withOwner(db, owner, async (trx) => act(trx, owner, (await lockAssistant(trx, owner, id)) ?? missing()));
  }

  return {
    /** Their own and the shared ones, by name. */
    list: (owner: Owner): Promise<Assistant[]> => read(owner, (trx) => listAssistants(trx, owner)),

    /** Those for everyone, unless the owner has one of that name. */
    listShared: async (owner: Owner): Promise<Assistant[]> => {
      const all = await read(owner, (trx) => listAssistants(trx, owner));
      const own = new Set(all.filter((each) => holderOf(each) === 'me').map(({ name }) => name));
      return all.filter((each) => holderOf(each) === 'everyone' && !own.has(each.name));
    },

    get: (owner: Owner, id: AssistantId): Promise<Assistant> =>
      read(owner, async (trx) => (await findAssistant(trx, owner, id)) ?? missing()),

    /** Newest first. */
    versions: (owner: Owner, id: AssistantId): Promise<AssistantVersion[]> =>
      read(owner, async (trx) => {
        if (!(await findAssistant(trx, owner, id))) missing();
        return listVersions(trx, owner, id);
      }),

    create(
      principal: Principal,
      { name, holder, ...asked }: AskedAssistant & { readonly name: string; readonly holder: AssistantHolder },
    ): Promise<Assistant> {
      if (holder === 'everyone') requireOperator(principal);
      if (!ASSISTANT_NAME.test(name)) throw new InvalidRequest('invalid_request', 'name', NAMES);
      const owner = holder === 'everyone' ? EVERYONE : principal;
      return withOwner(db, owner, (trx) => createAssistant(trx, owner, principal, { ...asked, name }));
    },

    /** Writes a new version; turns that were accepted before keep theirs. */
    update: (principal: Principal, id: AssistantId, asked: AskedAssistant): Promise<Assistant> =>
      change(principal, id, async (trx, owner, found) => {
        const draft = {
          description: asked.description ?? found.description,
          settings: { ...found.settings, ...asked.settings },
          writtenBy: principal.userId,
        };
        const next = { id, version: found.version + 1 };
        const entry = entryOf(principal, 'assistant.change', found, { version: next.version });
        await audited(trx, (writing) => writeVersion(writing, owner, next, draft), entry);
        return (await findAssistant(trx, owner, id)) ?? missing();
      }),

    /** Turns that were accepted before still run with it. */
    delete: (principal: Principal, id: AssistantId): Promise<void> =>
      change(principal, id, async (trx, owner, found) => {
        const entry = entryOf(principal, 'assistant.remove', found);
        await audited(trx, (writing) => deleteAssistant(writing, owner, id), entry);
      }),
  };
}

/** Throws a request's mistake if the owner can't use an assistant of this name. */
export async function checkAssistant(db: Database, owner: Owner, name: string): Promise<void> {
  await withOwner(db, owner, (trx) => getByName(trx, owner, name, 'assistant'));
}

/** The assistant that a request names in `param`. */
export async function getByName(
  trx: OwnedTransaction,
  owner: Owner,
  name: string,
  param: 'assistant' | 'model',
): Promise<Assistant> {
  const found = await findByName(trx, owner, name);
  if (!found) {
    const message = `There is no assistant "${name.slice(0, 64)}" that you may use. Choose another one, or none.`;
    throw new InvalidRequest('invalid_request', param, message);
  }
  return found;
}

export const holderOf = ({ userId }: Pick<Assistant, 'userId'>): AssistantHolder =>
  userId === EVERYONE.userId ? 'everyone' : 'me';

async function createAssistant(
  trx: OwnedTransaction,
  owner: Owner,
  by: Principal,
  { name, description = '', settings }: AskedAssistant & { readonly name: string },
): Promise<Assistant> {
  const there = (await listAssistants(trx, owner)).filter(({ userId }) => userId === owner.userId);
  if (there.length >= MAX_ASSISTANTS)
    throw new InvalidRequest('invalid_request', null, `There can be ${MAX_ASSISTANTS} assistants. Delete one first.`);
  const id = newId<AssistantId>();
  const draft = { description, settings: { ...USUAL_SETTINGS, ...settings }, writtenBy: by.userId };
  const entry = entryOf(by, 'assistant.add', { name, userId: owner.userId });
  const isNew = await audited(trx, (writing) => insertAssistant(writing, owner, { id, name }, draft), entry);
  if (!isNew) throw new Conflict('already_exists', `There is an assistant "${name}" already. Change it, or delete it.`);
  return (await findAssistant(trx, owner, id)) ?? missing();
}

const entryOf = (
  by: Principal,
  action: string,
  { name, userId }: Pick<Assistant, 'name' | 'userId'>,
  detail: Readonly<Record<string, unknown>> = {},
): AuditEntry => ({
  actor: by.userId,
  action,
  subject: name,
  detail: { for: holderOf({ userId }), ...detail },
});

const NAMES = 'name may have 40 small letters, digits and dashes, such as research, and no dash at its ends.';

function missing(): never {
  throw new NotFound('This assistant does not exist.');
}
