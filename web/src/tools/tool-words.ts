import { t } from '@lingui/core/macro';
import type { AgentTool } from '@reborn-agent/client/api';

/** What a tool does, for people. For tools that others wrote, it is the description that the model reads. */
export function describeTool({ name, source, description }: AgentTool): string {
  return (source === 'builtin' ? BUILTIN[name]?.() : undefined) ?? description ?? '';
}

/** What a built-in tool reaches. */
export function reachOfBuiltin(name: string): string {
  if (name.startsWith('memory_')) return t`Your notes, and nothing else.`;
  if (name.startsWith('mission_')) return t`Your missions, and nothing else.`;
  if (name.startsWith('skill_')) return t`The skills that you can use, and nothing else.`;
  if (name === 'reborn_web_fetch') return t`Public web pages by https. It sends nothing but the address.`;
  if (name === 'reborn_web_search')
    return t`The search engine that the operator has chosen. It sends the words of the search.`;
  return t`Nothing outside of the service.`;
}

const BUILTIN: Readonly<Record<string, () => string>> = {
  reborn_time: () => t`Tells the date and the time, also in other time zones.`,
  reborn_web_fetch: () => t`Reads a public web page as text.`,
  reborn_web_search: () => t`Searches the web.`,
  memory_search: () => t`Searches your notes.`,
  memory_read: () => t`Reads one of your notes.`,
  memory_write: () => t`Writes a note, or changes one, so that the agent remembers something about you.`,
  memory_delete: () => t`Deletes a note.`,
  mission_preview: () => t`Shows when a schedule would run.`,
  mission_list: () => t`Lists your missions.`,
  mission_create: () => t`Creates a mission: an instruction that runs on a schedule.`,
  mission_update: () => t`Changes a mission.`,
  mission_pause: () => t`Pauses or resumes a mission.`,
  mission_run: () => t`Runs a mission now.`,
  mission_delete: () => t`Deletes a mission and its list of runs.`,
  skill_list: () => t`Lists the skills: instructions for recurring tasks.`,
  skill_read: () => t`Reads a skill before the agent follows it.`,
};
