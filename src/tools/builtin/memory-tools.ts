import { z } from 'zod';
import { AGENT_IDENTITY, normalizePath } from '#domain/note.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { jsonTool } from './json-tool.ts';

/**
 * The agent's memory of its user across threads. All four can be repeated: two only read, a repeated write stores the
 * same text, and a repeated delete changes nothing.
 */
export function memoryTools(memory: MemoryPort): Tool[] {
  return [searchTool(memory), readTool(memory), writeTool(memory), deleteTool(memory)];
}

const path = z.string().describe('Where the note is, such as people/ann or projects/boat/paint.');

const searchTool = (memory: MemoryPort) =>
  jsonTool({
    name: 'memory_search',
    description:
      'Searches the notes kept for this user, in all their conversations. Use it before you say that you do not know something about the user, their people, plans or preferences. Gives the best notes first; a long one is cut, and memory_read has all of it.',
    parameters: z.strictObject({
      query: z.string().min(1).max(2000).describe('What to look for: a question, or a few words.'),
      limit: z.int().min(1).max(20).describe('How many notes at most. 5 when left out.').optional(),
    }),
    act: async ({ query, limit }, owner) => ({
      results: (await memory.search(owner, query, limit ?? 5)).map((note) => ({
        path: note.path,
        text: note.text,
        score: note.score,
        updated_at: note.updatedAt.toISOString(),
      })),
    }),
  });

const readTool = (memory: MemoryPort) =>
  jsonTool({
    name: 'memory_read',
    description: 'Reads one note in full.',
    parameters: z.strictObject({ path }),
    act: async (given, owner) => {
      const note = await memory.find(owner, given.path);
      return note
        ? { path: note.path, text: note.text, updated_at: note.updatedAt.toISOString() }
        : { error: `There is no note at ${normalizePath(given.path)}. Use memory_search to find its path.` };
    },
  });

const writeTool = (memory: MemoryPort) =>
  jsonTool({
    name: 'memory_write',
    description:
      'Stores a note for this user, which you can find in any later conversation. Use it when the user mentions something worth remembering or asks you to. It replaces the note at this path: read that first if you want to add to it. Use one note for each subject. The note identity/user says who the user is, and is shown to you in every conversation. Never write passwords or keys.',
    parameters: z.strictObject({ path, text: z.string().describe('The whole text of the note.') }),
    act: async ({ text, ...given }, owner) => {
      if (isAgentIdentity(given.path)) return { error: PERSON_ONLY };
      const note = await memory.write(owner, given.path, text);
      return { path: note.path, updated_at: note.updatedAt.toISOString() };
    },
  });

const deleteTool = (memory: MemoryPort) =>
  jsonTool({
    name: 'memory_delete',
    description: 'Deletes one note permanently. Use it when the user asks you to, or when a note is wrong.',
    parameters: z.strictObject({ path }),
    act: async (given, owner) => {
      if (isAgentIdentity(given.path)) return { error: PERSON_ONLY };
      return { path: normalizePath(given.path), deleted: await memory.delete(owner, given.path) };
    },
  });

/** The agent's identity is part of every prompt, so it must not come from a page that the agent has read. */
const isAgentIdentity = (given: string) => normalizePath(given) === AGENT_IDENTITY;
const PERSON_ONLY = `Only the user can change ${AGENT_IDENTITY}, in the memory view of the web UI. Tell them what to write.`;

type Owner = ToolContext['owner'];
type Note = { readonly path: string; readonly text: string; readonly updatedAt: Date };

/** The memory as the tools use it. It throws `InvalidRequest` for an invalid path or text. */
export type MemoryPort = {
  search(owner: Owner, query: string, limit: number): Promise<readonly (Note & { readonly score: number })[]>;
  find(owner: Owner, path: string): Promise<Note | undefined>;
  write(owner: Owner, path: string, text: string): Promise<Note>;
  delete(owner: Owner, path: string): Promise<boolean>;
};
