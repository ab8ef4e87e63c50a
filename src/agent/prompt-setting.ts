import type { ToolCall } from '#domain/tool.ts';
import type { Memory } from '#memory/memory.ts';
import type { Owner } from '#store/connection.ts';
import type { ToolSet } from '#tools/registry.ts';
import type { Skills } from '#tools/skills/skills.ts';
import type { PromptSetting } from './prompt.ts';

export type SettingParts = {
  readonly memory: Pick<Memory, 'identity'>;
  readonly skills: Pick<Skills, 'list'>;
};

/** What holds for every prompt that is made on behalf of `owner` now. */
export async function readPromptSetting(
  { memory, skills }: SettingParts,
  owner: Owner,
  offered: ToolSet,
): Promise<PromptSetting> {
  const [identity, offeredSkills] = await Promise.all([memory.identity(owner), skills.list(owner)]);
  return {
    tools: offered.definitions(),
    identity,
    skills: offeredSkills,
    sourceOf: (call) => sourceOf(call, offered),
  };
}

/** A tool that is gone may have said anything. */
function sourceOf(call: ToolCall, tools: ToolSet): string | undefined {
  const tool = tools.find(call.name);
  return tool?.trusted ? undefined : (tool?.source?.(call.arguments) ?? call.name);
}
