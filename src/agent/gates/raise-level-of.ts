import type { UserId } from '#domain/principal.ts';
import { untrustedIn } from '#domain/text/untrusted.ts';
import { type ContentPart, type FunctionCallOutputBody, type Item, textOf } from '#domain/thread/item.ts';
import type { ToolCall, ToolLevel } from '#domain/tool/tool.ts';
import { raiseLevel } from '#safety/injection/raise-level.ts';
import { findFlags } from '#safety/inspect.ts';
import { flowOf, isTrusted, type Tool, type ToolSet } from '#tools/tool.ts';
import { wordsOf } from './read-so-far.ts';

export type ReadFacts = {
  /** Everything that the model has read: it may obey an injected instruction for as long as it sees it. */
  readonly history: readonly Item[];
  readonly tools: ToolSet;
  /** Other parts of the prompt that can hold foreign text: the summary, a note, the descriptions of tools. */
  readonly alsoRead: readonly string[];
  /** The rules that match the call's arguments. */
  readonly flags: readonly string[];
  readonly userId: UserId;
};

/** The level of a call. If the model has read suspicious text, the call needs approval. */
export async function raiseLevelOf(
  tool: Tool,
  call: ToolCall,
  level: ToolLevel,
  { history, tools, alsoRead, flags: own, userId }: ReadFacts,
): Promise<ToolLevel> {
  if (flowOf(tool, call.arguments).inert) return level;
  const read = [...untrustedTexts(history, tools), ...alsoRead];
  const flags = await Promise.all(read.map((text) => findFlags(text, userId)));
  const named = untrustedTexts(history, tools).some((text) => namesTool(text, call.name)) ? ['tool-named'] : [];
  return raiseLevel(level, [...own, ...flags.flat(), ...named]);
}

/** Foreign text has no reason to name one of our tools. Ordinary words don't count as names. */
function namesTool(text: string, name: string): boolean {
  return /[_-]|[a-z][A-Z]/.test(name) && text.toLowerCase().includes(name.toLowerCase());
}

/** Foreign text that the model has read. Collected for each call, so that a crash or another replica loses nothing. */
function untrustedTexts(history: readonly Item[], tools: ToolSet): string[] {
  const names = new Map<string, string>(); // of our calls before the item: ids may be repeated
  return history.flatMap((item): string[] => {
    if (item.type === 'function_call') names.set(item.callId, item.external ? '' : item.name);
    if (item.type === 'message' && item.role === 'user' && item.author === 'agent' && item.reads?.foreign)
      return [textOf(item.content)];
    if (item.type === 'message') return item.role === 'assistant' ? [] : [untrustedOf(item.content)];
    if (item.type === 'compaction') return [item.summary];
    if (item.type === 'function_call' || isOurs(item) || isTrusted(tools.find(names.get(item.callId) ?? ''))) return [];
    return [[...item.output.map(wordsOf), ...item.output.map(fileNameOf)].join('\n')];
  });
}

/** What the service itself says about a call, such as that it was denied. */
const isOurs = ({ reads }: Pick<FunctionCallOutputBody, 'reads'>): boolean =>
  reads !== undefined && !reads.foreign && !reads.private;

/** The foreign parts of a user's message: wrapped text, and names of files. */
function untrustedOf(content: readonly ContentPart[]): string {
  const byOthers = content.filter((part) => (part.type === 'text' ? part.origin === 'others' : part.origin !== 'own'));
  return [untrustedIn(textOf(content)), ...content.map(fileNameOf), ...byOthers.map(wordsOf)].join('\n');
}

function fileNameOf(part: ContentPart): string {
  return part.type === 'file' ? (part.filename ?? '').replace(/[_-]+/g, ' ') : '';
}
