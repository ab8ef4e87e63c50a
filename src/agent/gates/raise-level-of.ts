import type { UserId } from '#domain/principal.ts';
import { isTextType } from '#domain/text/media-type.ts';
import { untrustedIn } from '#domain/text/untrusted.ts';
import { isStored } from '#domain/thread/attachment.ts';
import { type ContentPart, type Item, textOf } from '#domain/thread/item.ts';
import type { ToolCall, ToolLevel } from '#domain/tool/tool.ts';
import { raiseLevel } from '#safety/injection/raise-level.ts';
import { findFlags } from '#safety/inspect.ts';
import type { Tool, ToolSet } from '#tools/tool.ts';

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
  if (tool.inert) return level;
  const read = [...untrustedTexts(history, tools), ...alsoRead];
  const flags = await Promise.all(read.map((text) => findFlags(text, userId)));
  const named = untrustedTexts(history, tools).some((text) => namesTool(text, call.name)) ? ['tool-named'] : [];
  const marked = read.some((text) => text.includes(SUSPICIOUS_SUMMARY)) ? ['flagged-summary'] : [];
  return raiseLevel(level, [...own, ...flags.flat(), ...named, ...marked]);
}

/** Ends a summary of flagged text, so that the flag outlives the text. */
export const SUSPICIOUS_SUMMARY =
  '[Some of the texts that are summed up here may have been written to mislead the model.]';

/** Whether foreign text in these items is flagged. */
export async function isSuspicious(history: readonly Item[], tools: ToolSet, userId: UserId): Promise<boolean> {
  const texts = untrustedTexts(history, tools);
  if (texts.some((text) => text.includes(SUSPICIOUS_SUMMARY))) return true;
  const flags = await Promise.all(texts.map((text) => findFlags(text, userId)));
  return flags.some((found) => found.length > 0);
}

/** Foreign text has no reason to name one of our tools. Ordinary words don't count as names. */
function namesTool(text: string, name: string): boolean {
  return /[_-]|[a-z][A-Z]/.test(name) && text.toLowerCase().includes(name.toLowerCase());
}

/** Foreign text that the model has read. Collected for each call, so that a crash or another replica loses nothing. */
function untrustedTexts(history: readonly Item[], tools: ToolSet): string[] {
  const names = new Map(history.flatMap((item) => (item.type === 'function_call' ? [[item.callId, item.name]] : [])));
  return history.flatMap((item): string[] => {
    if (item.type === 'message') return item.role === 'user' ? [untrustedOf(item.content)] : [];
    if (item.type === 'compaction') return [item.summary];
    if (item.type === 'function_call' || tools.find(names.get(item.callId) ?? '')?.trusted) return [];
    return [wordsOf(item.output)];
  });
}

/** The foreign parts of a user's message: wrapped text, and names of files. */
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
  if (part.type !== 'file' || isStored(part) || !isTextType(part.mediaType)) return '';
  return Buffer.from(part.base64, 'base64').toString('utf8');
}
