import type { CallToolResult } from '@modelcontextprotocol/client';
import { cutBytes } from '#domain/text/cut.ts';
import { cleanFileName, cleanMediaType, extensionOf, isShownPicture, isTextType } from '#domain/text/media-type.ts';
import type { InlinePart } from '#domain/thread/item.ts';
import type { ToolContext } from '../tool.ts';

const MAX_BYTES = 256 * 1024;
const MAX_FILES = 10;

type OnFile = ToolContext['onFile'];

/** The result as text for the model. Pictures, sounds and files go to `onFile`; the text only names them. */
export function renderResult({ content, structuredContent, isError }: CallToolResult, onFile?: OnFile): string {
  const show = limited(onFile);
  const parts = content.map((part) => renderPart(part, show)).filter((part) => part !== '');
  const structured = structuredContent === undefined ? '' : JSON.stringify(structuredContent);
  const { kept, note } = cutBytes((parts.join('\n') || structured).toWellFormed(), MAX_BYTES);
  const text = kept + note;
  return isError ? renderError(text || 'The tool failed without a message.') : text || 'The tool returned nothing.';
}

export const renderError = (error: string) => JSON.stringify({ error });

function renderPart(part: CallToolResult['content'][number], show: ShowFile): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'audio':
      return show({ base64: part.data, mediaType: part.mimeType, name: part.type });
    case 'resource_link':
      return `[link to ${part.uri}] ${part.name}`;
    case 'resource': {
      const { resource } = part;
      if ('text' in resource) return resource.text;
      if (isTextType(resource.mimeType ?? '')) return Buffer.from(resource.blob, 'base64').toString('utf8');
      return show({ base64: resource.blob, mediaType: resource.mimeType, name: resource.uri });
    }
  }
}

type Given = { readonly base64: string; readonly mediaType: string | undefined; readonly name: string };
/** Shows a file to people, and returns the words for the model. */
type ShowFile = (given: Given) => string;

/** One result shows a few files; others are only named. */
export function limited(onFile: OnFile): ShowFile {
  let count = 0;
  return (given) => {
    const file = toFile(given);
    const isShown = onFile !== undefined && file !== undefined && count++ < MAX_FILES;
    if (isShown) onFile(file);
    const name = file?.type === 'file' ? file.filename : 'image';
    const outcome = isShown ? 'the user sees it, you do not' : 'not shown';
    return `[${name ?? 'file'} of the type ${cleanMediaType(given.mediaType)}: ${outcome}]`;
  };
}

/** The name may be an address. undefined without bytes. */
function toFile({ base64, mediaType: given, name }: Given): InlinePart | undefined {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length === 0) return undefined;
  const mediaType = cleanMediaType(given);
  const content = { mediaType, base64: bytes.toString('base64') };
  if (isShownPicture(mediaType)) return { type: 'image', ...content };
  const clean = cleanFileName(name) || 'file';
  return { type: 'file', filename: clean.includes('.') ? clean : clean + extensionOf(mediaType), ...content };
}
