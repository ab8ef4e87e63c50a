import { AGENT_IDENTITY } from '#domain/note.ts';
import { wrapUntrusted } from '#domain/text/untrusted.ts';
import type { ToolCall, ToolDefinition } from '#domain/tool/tool.ts';
import type { TurnRun } from '#engine/running/turn-run.ts';
import { identityFor } from '#memory/identity.ts';
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
  setting: TurnRun['setting'],
  offered: ToolSet,
): Promise<PromptSetting> {
  return {
    tools: promptTools(offered),
    identity: identityFor(owner, setting.temporary ? setting.notes.filter(isInstruction) : setting.notes),
    project: projectBlock(setting.project, owner.userId),
    skills: await skills.withFolder(setting.skills),
    sourceOf: (call) => sourceOf(call, offered),
  };
}

/** What a person has written for the agent is no memory; what is known about the person is. */
const isInstruction = ({ path }: { readonly path: string }) => path === AGENT_IDENTITY;

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
