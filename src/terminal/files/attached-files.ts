import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from '@reborn-agent/client';
import type { ChatRequest } from '@reborn-agent/client/api';
import { mediaTypeOf } from '#domain/text/media-type.ts';
import { resolvePath } from '../resolve-path.ts';

export type Attachment = NonNullable<ChatRequest['attachments']>[number];

const LARGEST = 10 * 1024 * 1024;

/** Pictures, and documents whose text the service reads. */
const TYPED = /\.(?:png|jpe?g|gif|webp|pdf|docx|xlsx|pptx|odt|eml)$/i;

/** Words such as `@notes.md` or `@"my notes.md"`, and paths of images, which terminals paste for a dropped file. */
const NAMED = /(?<=^|\s)(?:@(?:"([^"\n]+)"|(\S+))|'?(\/(?:[^\s'\\]|\\.)+\.(?:png|jpe?g|gif|webp))'?)(?=\s|$)/gi;

/** Reads a resource of an MCP server. */
export type ReadResource = (server: string, uri: string) => Promise<Attachment[]>;

export const resourceReader =
  (client: Client): ReadResource =>
  async (name, uri) => {
    const { contents } = await client.call('GET /api/mcp/{name}/resource', { params: { name }, query: { uri } });
    return contents.map(({ uri: found, media_type, data }) => ({ name: found.slice(-255), media_type, data }));
  };

/** The files and resources that a message names. A word after an `@` that is neither stays a word. */
export async function readAttachedFiles(
  message: string,
  folder: string,
  readResource: ReadResource = async () => [],
): Promise<Attachment[]> {
  const names = [...message.matchAll(NAMED)].map(([, quoted, word, image]) => quoted ?? word ?? unescape(image ?? ''));
  const found = await Promise.all(
    [...new Set(names)].map(async (name) => {
      const [, server, uri] = RESOURCE.exec(name) ?? [];
      const file = await readAttachment(name, folder);
      if (file) return [file];
      return server !== undefined && uri !== undefined ? readResource(server, uri) : [];
    }),
  );
  return found.flat();
}

/** A server and the address of a resource, such as `docs:file:///notes.md`. */
const RESOURCE = /^([a-z][a-z0-9-]*):([a-z][a-z0-9+.-]*:\S+)$/i;

/** Nothing if the file can't be opened. */
export async function readAttachment(name: string, folder: string): Promise<Attachment | undefined> {
  const file = await open(resolvePath(folder, name)).catch(() => undefined);
  if (!file) return undefined;
  try {
    const { size, isFile } = await file.stat().then((found) => ({ size: found.size, isFile: found.isFile() }));
    if (!isFile) return undefined;
    if (size > LARGEST) throw new Error(`${name} is larger than 10 MiB. Attach a smaller file.`);
    const bytes = await file.readFile();
    const type = TYPED.test(name) ? mediaTypeOf(name) : isText(bytes) ? 'text/plain' : undefined;
    if (!type) throw new Error(`${name} is not text, an image or a document, so no model could read it.`);
    return { name: path.basename(name), media_type: type, data: bytes.toString('base64') };
  } finally {
    await file.close();
  }
}

/** Terminals paste a space as `\ `. */
const unescape = (pasted: string) => pasted.replace(/\\(.)/g, '$1');

function isText(bytes: Buffer): boolean {
  try {
    return !new TextDecoder('utf-8', { fatal: true }).decode(bytes).includes('\u0000');
  } catch {
    return false;
  }
}
