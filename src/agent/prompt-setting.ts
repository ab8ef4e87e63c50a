import type { ToolCall } from '#domain/tool.ts';
import type { TurnRun } from '#engine/running-turns.ts';
import { identityFor } from '#memory/identity.ts';
import type { Owner } from '#store/connection.ts';
import type { ToolSet } from '#tools/registry.ts';
import type { Skills } from '#tools/skills/skills.ts';
import type { PromptSetting } from './prompt.ts';

export type SettingParts = { readonly skills: Pick<Skills, 'withFolder'> };

/** What holds for every prompt that is made on behalf of `owner` in this turn, from what came along with it. */
export async function readPromptSetting(
  { skills }: SettingParts,
  owner: Owner,
  setting: TurnRun['setting'],
  offered: ToolSet,
): Promise<PromptSetting> {
  return {
    tools: offered.definitions(),
    identity: identityFor(owner, setting.notes),
    skills: await skills.withFolder(setting.skills),
    sourceOf: (call) => sourceOf(call, offered),
  };
}

/** A tool that is gone may have said anything. */
function sourceOf(call: ToolCall, tools: ToolSet): string | undefined {
  const tool = tools.find(call.name);
  return tool?.trusted ? undefined : (tool?.source?.(call.arguments) ?? call.name);
}
