import { wrapUntrusted } from '#domain/text/untrusted.ts';
import type { ToolCall, ToolDefinition } from '#domain/tool/tool.ts';
import { type AppliedSettings, isListed, memoryRightsOf } from '#domain/work/work-settings.ts';
import type { TurnRun } from '#engine/running/turn-run.ts';
import { type IdentityNotes, identityFor, NO_IDENTITY } from '#memory/identity.ts';
import type { Owner } from '#store/connection.ts';
import type { Skills } from '#tools/skills/skills.ts';
import { isInstalled, isTrusted, type ToolSet } from '#tools/tool.ts';
import { projectBlock } from './project-block.ts';
import type { PromptSetting } from './prompt.ts';

export type SettingParts = { readonly skills: Pick<Skills, 'withFolder'> };

/** The part of the prompt that is the same for the whole turn. */
export async function readPromptSetting(
  { skills }: SettingParts,
  owner: Owner,
  setting: TurnRun['setting'] & { readonly work: readonly AppliedSettings[] },
  offered: ToolSet,
): Promise<PromptSetting> {
  return {
    tools: promptTools(offered),
    identity: identityOf(owner, setting),
    project: projectBlock(setting.project, owner.userId),
    instructions: setting.work.filter(({ settings }) => settings.instructions !== null),
    skills: (await skills.withFolder(setting.skills)).filter(({ name }) => isListed('skills', name, setting.work)),
    sourceOf: (call) => sourceOf(call, offered),
  };
}

/**
 * What a person has written for the agent is not memory; what is known about the person is. An assistant with instructions has them
 * instead of what was written for the agent.
 */
function identityOf(
  owner: Owner,
  { notes, temporary, work }: Pick<TurnRun['setting'], 'notes' | 'temporary'> & { work: readonly AppliedSettings[] },
): IdentityNotes {
  if (!memoryRightsOf(work).reads) return NO_IDENTITY;
  const { agent, user } = identityFor(owner, notes);
  const isInstructed = work.some(({ from, settings }) => from === 'assistant' && settings.instructions !== null);
  return { agent: isInstructed ? undefined : agent, user: temporary ? undefined : user };
}

/** The description of an installed tool is foreign text, and is wrapped like its output. */
export function promptTools(offered: ToolSet): ToolDefinition[] {
  return offered.definitions().map((definition) => {
    const { name, description } = definition;
    // What the model reads of a version that was not reviewed are our own words.
    if (!description || !isInstalled(offered.find(name)) || offered.find(name)?.unreviewed) return definition;
    return { ...definition, description: wrapUntrusted(description, name) };
  });
}

/** "Use this tool when …" is how a description says what its tool is for. Orders about other tools are searched for. */
const OWN_USE = /\buse this tool(?= (?:when|if|to|for)\b)/gi;

/** The text in a prompt that comes from the authors of installed tools, for the search for injections. */
export function toolTexts(offered: ToolSet): string[] {
  return offered
    .definitions()
    .filter(({ name }) => isInstalled(offered.find(name)))
    .map(({ description, parameters }) => `${(description ?? '').replace(OWN_USE, '')}\n${JSON.stringify(parameters)}`);
}

/** The output of a tool that no longer exists is foreign text. */
function sourceOf(call: ToolCall, tools: ToolSet): string | undefined {
  const tool = tools.find(call.name);
  return isTrusted(tool) ? undefined : (tool?.source?.(call.arguments) ?? call.name);
}
