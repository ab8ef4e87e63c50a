import type { ChildRun } from '#domain/delegation/delegation.ts';
import type { MissionRun } from '#domain/mission/mission.ts';
import type { Turn, TurnRequest } from '#domain/thread/turn.ts';
import { folderOfAssistant, type TurnAssistant } from '#domain/work/assistant.ts';
import type { TurnProject } from '#domain/work/project.ts';
import { type AppliedSettings, USUAL_SETTINGS } from '#domain/work/work-settings.ts';
import { findByName, findVersion } from '#store/assistants/assistants.ts';
import { type Database, type Owner, withOwner } from '#store/connection.ts';

/** The assistant of a turn can't be found: it has stayed in the cell that its user has left. */
export class AssistantMissing extends Error {
  override readonly name = 'AssistantMissing';
}

/** The settings that apply to a turn, those nearest to it last. A turn without an assistant costs no query. */
export async function readWork(
  db: Database,
  owner: Owner,
  { mission, assistant, above }: Pick<TurnRequest, 'mission' | 'assistant' | 'above'>,
  project: TurnProject | null | undefined,
  child?: ChildRun | null,
): Promise<readonly AppliedSettings[]> {
  const own = assistant && (await readAssistant(db, owner, assistant));
  const others = await Promise.all((above?.assistants ?? []).map((each) => readAssistant(db, owner, each)));
  return [
    ...(project ? [ofProject(project)] : []),
    ...others.map((each) => onlyLimits(each, own)),
    ...(own ? [own] : []),
    ...(mission ? [ofMission(mission)] : []),
    ...(child ? [ofChild(child)] : []),
  ];
}

/** The same, read with the first question. */
export function createWork(
  db: Database,
  turn: Turn,
  project: TurnProject | null | undefined,
): () => Promise<readonly AppliedSettings[]> {
  let read: Promise<readonly AppliedSettings[]> | undefined;
  return () => (read ??= readWork(db, turn, turn.request, project, turn.child));
}

/** The model that is asked: the request's, or else that of the nearest settings. */
export const modelOf = (
  { request }: Pick<Turn, 'request'>,
  work: readonly Pick<AppliedSettings, 'settings'>[],
): string | null => request.model ?? work.findLast(({ settings }) => settings.model !== null)?.settings.model ?? null;

async function readAssistant(db: Database, owner: Owner, assistant: TurnAssistant): Promise<AppliedSettings> {
  const { id, name } = assistant;
  const found = await withOwner(db, owner, (trx) => findVersion(trx, owner, assistant));
  if (!found) throw new AssistantMissing(`The assistant "${name}" does not exist here. Choose another one.`);
  return { from: 'assistant', id, name, folder: folderOfAssistant(name), settings: found.settings };
}

/** Of an assistant that answers above a child. Two with a folder of notes each leave none that both may write to. */
function onlyLimits(above: AppliedSettings, own: AppliedSettings | undefined): AppliedSettings {
  const { memory } = above.settings;
  const isDivided = memory === 'own' && own?.settings.memory === 'own' && own.folder !== above.folder;
  return {
    ...above,
    settings: { ...above.settings, instructions: null, model: null, memory: isDivided ? 'read' : memory },
  };
}

/** The assistant of this name that the owner may use now. */
export async function findTurnAssistant(db: Database, owner: Owner, name: string): Promise<TurnAssistant | undefined> {
  const found = await withOwner(db, owner, (trx) => findByName(trx, owner, name));
  return found && { id: found.id, name: found.name, version: found.version };
}

/** Its instructions are a part of the prompt by themselves, because another person may have written them. */
function ofProject({
  id,
  name,
  model,
  tokensPerRun,
  tokensPerDay,
  usdPerRun,
  usdPerDay,
}: TurnProject): AppliedSettings {
  const budgets = { tokensPerRun, tokensPerDay, usdPerRun, usdPerDay };
  return { from: 'project', id, name, folder: '', settings: { ...USUAL_SETTINGS, model, ...budgets } };
}

/** What is left of the day was counted when the run started: a mission has one run at a time. */
function ofMission({ id, tools, tokensPerRun, usdPerRun = null }: MissionRun): AppliedSettings {
  return { from: 'mission', id, name: '', folder: '', settings: { ...USUAL_SETTINGS, tools, tokensPerRun, usdPerRun } };
}

/** It was set aside for the child when it started. */
function ofChild({ call, tokensPerRun, usdPerRun }: ChildRun): AppliedSettings {
  return { from: 'child', id: call, name: '', folder: '', settings: { ...USUAL_SETTINGS, tokensPerRun, usdPerRun } };
}
