import { type CallCard, cardOfForeign } from '#domain/tool/call-card.ts';
import type { Owner } from '#store/connection.ts';
import { BUILTIN_CARDS } from '#tools/builtin/cards/builtin-cards.ts';
import { isInstalled, type Tool } from '#tools/tool.ts';

/**
 * What the card of a call says besides its arguments. It is stored with the gate, so that it stays as it was shown; the templates of
 * built-in tools are not, because `withTemplates` knows them.
 */
export async function cardOf(tool: Tool, argumentsJson: string, owner: Owner): Promise<CallCard | undefined> {
  const { title, server, card, definition } = tool;
  const foreign = isInstalled(tool) ? cardOfForeign({ ...definition, title, server }, argumentsJson) : undefined;
  const names = await tool.names?.(argumentsJson, owner);
  const own = { ...foreign, ...card, ...(names && Object.keys(names).length > 0 && { names }) };
  return Object.keys(own).length > 0 ? own : undefined;
}

/** What is known of a tool's calls without their arguments, for steps. */
export function cardOfTool(tool: Tool): CallCard | undefined {
  const { title, server, card, definition } = tool;
  const foreign = isInstalled(tool) ? cardOfForeign({ ...definition, title, server }, '{}') : undefined;
  return withTemplates(definition.name, card || foreign ? { ...foreign, ...card } : undefined);
}

/** A stored card as clients get it. */
export function withTemplates(toolName: string, card: CallCard | undefined): CallCard | undefined {
  const builtin = BUILTIN_CARDS.get(toolName);
  return builtin ? { ...card, ...builtin } : card;
}
