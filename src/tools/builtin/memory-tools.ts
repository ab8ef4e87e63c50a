import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import {
  AGENT_IDENTITY,
  type NoteAuthor,
  type NoteCause,
  normalizePath,
  type Note as StoredNote,
} from '#domain/note.ts';
import type { SeenSource } from '#domain/thread/origin.ts';
import type { JudgeCall, Tool, ToolContext, ToolFlow } from '../tool.ts';
import { jsonTool } from './json-tool.ts';
import { parseArguments } from './parse-arguments.ts';

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
    flow: READS_NOTES,
    act: async ({ query, limit }, owner, context) => {
      const found = await memory.search(owner, query, limit ?? 5);
      tellOrigin(context, found);
      return { results: found.map(({ score, ...note }) => ({ ...render(note), score })) };
    },
  });

const readTool = (memory: MemoryPort) =>
  jsonTool({
    name: 'memory_read',
    description: 'Reads one note in full.',
    parameters: z.strictObject({ path }),
    flow: READS_NOTES,
    act: async (given, owner, context) => {
      const note = await memory.find(owner, given.path);
      tellOrigin(context, note ? [note] : []);
      return note
        ? render(note)
        : { error: `The note ${normalizePath(given.path)} does not exist. Use memory_search to find its path.` };
    },
  });

const writeTool = (memory: MemoryPort) =>
  jsonTool({
    name: 'memory_write',
    description:
      'Stores a note for this user, which you can find in any later conversation. Use it when the user mentions something worth remembering or asks you to. It replaces the note at this path: read that first if you want to add to it. Use one note for each subject. The note identity/user says who the user is, and is shown to you in every conversation. Never write passwords or keys.',
    parameters: z.strictObject({
      path,
      text: z.string().describe('The whole text of the note.'),
      ask_first: z.boolean().describe('The user wants to approve the note before it is stored.').optional(),
    }),
    flow: { reads: {}, runs: judgeWrite(memory) },
    act: async ({ text, path: at }, owner, context) => {
      const given = { path: at };
      const { situation, allowedBy } = context;
      if (isAgentIdentity(given.path)) return { error: PERSON_ONLY };
      const origin = situation === 'clean' ? 'person' : 'foreign';
      // The person may have saved the note since the call was judged, or since an attempt that crashed.
      const isJudged = origin === 'foreign' && (allowedBy === undefined || allowedBy === 'tool');
      const mayReplace = isJudged ? isMarked : undefined;
      const note = await memory.writeByAgent(owner, { ...given, text, origin }, byAgent(context), mayReplace);
      if (!note) return { error: changedMeanwhile(given.path) };
      return { path: note.path, updated_at: note.updatedAt.toISOString() };
    },
  });

const deleteTool = (memory: MemoryPort) =>
  jsonTool({
    name: 'memory_delete',
    description:
      'Deletes one note. Use it when the user asks you to, or when a note is wrong. The user can restore it from its history.',
    parameters: z.strictObject({ path }),
    flow: { reads: {}, runs: 'clean' },
    act: async (given, owner, context) => {
      if (isAgentIdentity(given.path)) return { error: PERSON_ONLY };
      return { path: normalizePath(given.path), deleted: await memory.delete(owner, given.path, byAgent(context)) };
    },
  });

const READS_NOTES: ToolFlow = { reads: { private: true }, from: 'notes', runs: 'always' };

/** A note that was written after reading text by others may repeat it, so it counts as such a text. */
function tellOrigin({ onReads }: ToolContext, notes: readonly Note[]): void {
  const shown = notes.map(({ path: at, version }) => ({ path: at, version }));
  onReads?.({
    private: notes.length > 0,
    foreign: notes.some(({ origin }) => origin !== 'person'),
    ...(notes.length > 0 && { notes: shown }),
  });
}

/** A version of a note says which turn wrote it, and what the model had read. */
const byAgent = ({ turn, seen, idempotencyKey }: ToolContext): NoteCause => ({
  author: 'agent',
  ...(turn && { turnId: turn.id, threadId: turn.threadId }),
  call: idempotencyKey,
  ...(seen && { sources: seen() }),
});

/**
 * A call can ask for an approval by itself. After text by others, the agent may add notes and change those that it has written in the same way: they are marked. A note of
 * the person, and one that is in every prompt, is changed only with an approval.
 */
const judgeWrite =
  (memory: MemoryPort): JudgeCall =>
  async (argumentsJson, { situation }, owner) => {
    if (wantsQuestion(argumentsJson)) return 'asks';
    if (situation === 'clean') return 'runs';
    const at = pathIn(argumentsJson);
    if (at === undefined) return 'runs'; // nothing will be written
    if (at.startsWith('identity/')) return 'asks';
    return isMarked(await memory.find(owner, at)) ? 'runs' : 'asks';
  };

const wantsQuestion = (argumentsJson: string): boolean =>
  'value' in parseArguments(z.looseObject({ ask_first: z.literal(true) }), argumentsJson);

/** Whether a note is new, or was written by the agent after text by others. */
const isMarked = (known: Pick<Note, 'origin'> | undefined) => !known || known.origin === 'foreign';

const changedMeanwhile = (given: string) =>
  `The note ${normalizePath(given)} changed meanwhile: the user has saved it. Read it again with memory_read before you write it.`;

function pathIn(argumentsJson: string): string | undefined {
  const given = parseArguments(z.object({ path }), argumentsJson);
  if ('error' in given) return undefined;
  try {
    return normalizePath(given.value.path);
  } catch (error) {
    if (error instanceof InvalidRequest) return undefined;
    throw error;
  }
}

const render = ({ path: at, text, origin, writtenBy, sources, updatedAt }: Note) => ({
  path: at,
  text,
  ...(origin === 'foreign' && { origin: 'written after reading text by others' }),
  written_by: AUTHORS[writtenBy],
  ...(sources.length > 0 && { after_reading: sources.slice(-MOST_SOURCES).map(nameOf) }),
  updated_at: updatedAt.toISOString(),
});

const AUTHORS: Readonly<Record<NoteAuthor, string>> = { person: 'the user', agent: 'you', unknown: 'unknown' };
/** The newest ones; the user sees all of them. */
const MOST_SOURCES = 3;
const nameOf = ({ kind, name }: SeenSource) => (name === null ? kind : `${kind} ${name}`);

/** The agent's identity is part of every prompt, so it must not come from a page that the agent has read. */
const isAgentIdentity = (given: string) => normalizePath(given) === AGENT_IDENTITY;
const PERSON_ONLY = `Only the user can change ${AGENT_IDENTITY}, in the memory view of the web UI. Tell them what to write.`;

type Owner = ToolContext['owner'];
type Note = Omit<StoredNote, 'createdAt'>;

/** The memory as the tools use it. It throws `InvalidRequest` for an invalid path or text. */
export type MemoryPort = {
  search(owner: Owner, query: string, limit: number): Promise<readonly (Note & { readonly score: number })[]>;
  find(owner: Owner, path: string): Promise<Note | undefined>;
  /** Undefined: not written, because `mayReplace` refuses the note that is there now. */
  writeByAgent(
    owner: Owner,
    note: Pick<Note, 'path' | 'text' | 'origin'>,
    cause: NoteCause,
    mayReplace?: (known: Pick<Note, 'origin'> | undefined) => boolean,
  ): Promise<Note | undefined>;
  delete(owner: Owner, path: string, cause: NoteCause): Promise<boolean>;
};
