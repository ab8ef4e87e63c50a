import type { CallToolResult } from '@modelcontextprotocol/client';
import { cutBytes } from '#domain/text/cut.ts';

const MAX_BYTES = 256 * 1024;

/** The result as text for the model. Pictures and sounds are named, not shown. */
export function renderResult({ content, structuredContent, isError }: CallToolResult): string {
  const parts = content.map(renderPart).filter((part) => part !== '');
  const structured = structuredContent === undefined ? '' : JSON.stringify(structuredContent);
  const { kept, note } = cutBytes((parts.join('\n') || structured).toWellFormed(), MAX_BYTES);
  const text = kept + note;
  return isError ? renderError(text || 'The tool failed without a message.') : text || 'The tool returned nothing.';
}

export const renderError = (error: string) => JSON.stringify({ error });

function renderPart(part: CallToolResult['content'][number]): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'audio':
      return `[${part.type} of the type ${part.mimeType}: not shown]`;
    case 'resource_link':
      return `[link to ${part.uri}] ${part.name}`;
    case 'resource':
      return 'text' in part.resource ? part.resource.text : `[file ${part.resource.uri}: not shown]`;
  }
}
