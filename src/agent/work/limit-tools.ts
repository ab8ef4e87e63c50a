import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import { normalizePath } from '#domain/note.ts';
import { RESEARCH, WEB_FETCH, WEB_SEARCH } from '#domain/tool/reserved-names.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import { type AppliedSettings, isListed, type MemoryRights, memoryRightsOf } from '#domain/work/work-settings.ts';
import { parseArguments } from '#tools/builtin/parse-arguments.ts';
import { INERT, type Tool, type ToolSet } from '#tools/tool.ts';
import { noResultTool } from './no-result.ts';

type Limits = {
  readonly work: readonly AppliedSettings[];
  /** The thread neither reads nor writes memory. */
  readonly temporary?: boolean | null | undefined;
  /** Whether new notes may be written. */
  readonly remembers?: boolean | undefined;
  /** Whether the person has turned the web off for this message. */
  readonly withoutWeb?: boolean | undefined;
};

/**
 * The tools of a turn: of all that its user may use, those that each of its settings allows. A mission never has the tools that
 * manage missions: a run must not create, change or start one, so that text it reads can't make itself permanent. It can end without
 * a message.
 */
export function limitTools(tools: ToolSet, { work, temporary, remembers = true, withoutWeb = false }: Limits): ToolSet {
  if (work.length === 0 && !temporary && remembers && !withoutWeb) return tools;
  const isMission = work.some(({ from }) => from === 'mission');
  const memory = temporary ? NO_MEMORY : memoryRightsOf(work);
  const isAllowed = (name: string) =>
    isListed('tools', name, work) &&
    mayUse(name, memory) &&
    !(isMission && name.startsWith('mission_')) &&
    (remembers || name !== 'memory_write') &&
    !(withoutWeb && WEB.includes(name));
  const narrow = (tool: Tool) => narrowed(tool, memory, work);
  return {
    find(name) {
      if (isMission && name === NO_RESULT.name) return noResultTool;
      const tool = isAllowed(name) ? tools.find(name) : undefined;
      return tool && narrow(tool);
    },
    definitions: () => [
      ...tools
        .definitions()
        .filter(({ name }) => isAllowed(name))
        .map((definition) => describe(definition, memory)),
      ...(isMission ? [NO_RESULT] : []),
    ],
  };
}

const NO_RESULT = noResultTool.definition;
const NO_MEMORY: MemoryRights = { reads: false, writes: false, below: null };
const WEB: readonly string[] = [WEB_SEARCH, WEB_FETCH, RESEARCH];
const WRITES_NOTES = ['memory_write', 'memory_delete'];

function mayUse(name: string, { reads, writes }: MemoryRights): boolean {
  if (WRITES_NOTES.includes(name)) return writes;
  return reads || !name.startsWith('memory_');
}

/** The tool with the limits that depend on a call's arguments. A call beyond them does nothing, so it needs no approval. */
function narrowed(tool: Tool, { below }: MemoryRights, work: readonly AppliedSettings[]): Tool {
  const { name } = tool.definition;
  if (WRITES_NOTES.includes(name) && below !== null)
    return refusing(tool, (given) =>
      isBelow(given, below) ? undefined : `Notes can be changed only below ${below}/.`,
    );
  if (name === 'skill_read' && work.some(({ settings }) => settings.skills))
    return refusing(tool, (given) => (isOwnSkill(given, work) ? undefined : 'This skill does not exist.'));
  if (name === 'skill_list' && work.some(({ settings }) => settings.skills))
    return { ...tool, call: async (given, context) => ownSkills(await tool.call(given, context), work) };
  return tool;
}

function refusing(tool: Tool, refusal: (argumentsJson: string) => string | undefined): Tool {
  return {
    ...tool,
    flowOfCall: (given) => (refusal(given) ? INERT : tool.flowOfCall?.(given)),
    call: async (given, context) => {
      const error = refusal(given);
      return error ? JSON.stringify({ error }) : tool.call(given, context);
    },
  };
}

/** Arguments without a valid path are refused by the tool itself. */
function isBelow(argumentsJson: string, folder: string): boolean {
  const given = parseArguments(z.looseObject({ path: z.string() }), argumentsJson);
  if ('error' in given) return true;
  try {
    return normalizePath(given.value.path).startsWith(`${folder}/`);
  } catch (error) {
    if (error instanceof InvalidRequest) return true;
    throw error;
  }
}

function isOwnSkill(argumentsJson: string, work: readonly AppliedSettings[]): boolean {
  const given = parseArguments(z.looseObject({ name: z.string() }), argumentsJson);
  return 'error' in given || isListed('skills', given.value.name, work);
}

const skillList = z.object({ skills: z.array(z.looseObject({ name: z.string() })) });

function ownSkills(output: string, work: readonly AppliedSettings[]): string {
  const { skills } = skillList.parse(JSON.parse(output));
  return JSON.stringify({ skills: skills.filter(({ name }) => isListed('skills', name, work)) });
}

function describe(definition: ToolDefinition, { below }: MemoryRights): ToolDefinition {
  if (below === null || !WRITES_NOTES.includes(definition.name)) return definition;
  return { ...definition, description: `${definition.description ?? ''} Only notes below ${below}/ can be changed.` };
}
