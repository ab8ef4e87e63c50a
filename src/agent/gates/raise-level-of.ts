import type { UserId } from '#domain/principal.ts';
import { isTextType } from '#domain/text/media-type.ts';
import { untrustedIn } from '#domain/text/untrusted.ts';
import { type ContentPart, type Item, textOf } from '#domain/thread/item.ts';
import type { ToolCall, ToolLevel } from '#domain/tool/tool.ts';
import { raiseLevel } from '#safety/injection/raise-level.ts';
import { findFlags } from '#safety/inspect.ts';
import type { ToolSet } from '#tools/registry.ts';
import type { Tool } from '#tools/tool.ts';

export type ReadFacts = {
  /** Everything that the model has read: as long as it sees an order, it may obey it. */
  readonly history: readonly Item[];
  readonly tools: ToolSet;
  /** What else is in the prompt and may have been written by somebody else: a summary, a note, what tools say of themselves. */
  readonly alsoRead: readonly string[];
  /** The rules that the call's arguments have set off. */
  readonly flags: readonly string[];
  readonly userId: UserId;
};

/** The level of a call after a look at what the model has read: words that may have misled it make somebody be asked. */
export async function raiseLevelOf(
  tool: Tool,
  call: ToolCall,
  level: ToolLevel,
  { history, tools, alsoRead, flags: own, userId }: ReadFacts,
): Promise<ToolLevel> {
  if (tool.inert) return level;
  const read = [...untrustedTexts(history, tools), ...alsoRead];
  const flags = await Promise.all(read.map((text) => findFlags(text, userId)));
  const named = untrustedTexts(history, tools).some((text) => namesTool(text, call.name)) ? ['tool-named'] : [];
  const marked = alsoRead.some((text) => text.includes(SUSPICIOUS_SUMMARY)) ? ['flagged-summary'] : [];
  return raiseLevel(level, [...own, ...flags.flat(), ...named, ...marked]);
}

/** Ends a summary of texts that were flagged: the flag outlives them, in whatever words they were summed up. */
export const SUSPICIOUS_SUMMARY =
  '[Some of the texts that are summed up here may have been written to mislead the model.]';

/** Whether something that others wrote in these items was flagged. */
export async function isSuspicious(history: readonly Item[], tools: ToolSet, userId: UserId): Promise<boolean> {
  const flags = await Promise.all(untrustedTexts(history, tools).map((text) => findFlags(text, userId)));
  return flags.some((found) => found.length > 0);
}

/** Somebody else's text has no business with our tools. A name that is a usual word says nothing. */
function namesTool(text: string, name: string): boolean {
  return /[_-]|[a-z][A-Z]/.test(name) && text.toLowerCase().includes(name.toLowerCase());
}

/** What others wrote and the model has read. It is looked up anew each time, so a crash or another replica loses nothing. */
function untrustedTexts(history: readonly Item[], tools: ToolSet): string[] {
  const names = new Map(history.flatMap((item) => (item.type === 'function_call' ? [[item.callId, item.name]] : [])));
  return history.flatMap((item): string[] => {
    if (item.type === 'message') return item.role === 'user' ? [untrustedOf(item.content)] : [];
    if (item.type === 'function_call' || tools.find(names.get(item.callId) ?? '')?.trusted) return [];
    return [wordsOf(item.output)];
  });
}

/** In a user's message: what is wrapped, and the names of files, which others may have chosen. */
function untrustedOf(content: readonly ContentPart[]): string {
  return [untrustedIn(textOf(content)), ...content.map(fileNameOf)].join('\n');
}

function wordsOf(output: readonly ContentPart[]): string {
  return [textOf(output), ...output.map(fileNameOf), ...output.map(fileTextOf)].join('\n');
}

function fileNameOf(part: ContentPart): string {
  return part.type === 'file' ? (part.filename ?? '').replace(/[_-]+/g, ' ') : '';
}

function fileTextOf(part: ContentPart): string {
  return part.type === 'file' && isTextType(part.mediaType) ? Buffer.from(part.base64, 'base64').toString('utf8') : '';
}
