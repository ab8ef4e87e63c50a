import { randomUUID } from 'node:crypto';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from '@reborn-agent/client';
import { normalizeFilePath } from '#domain/workspace/path.ts';
import { resolvePath } from '../resolve-path.ts';

/** The bytes of a file of a thread. */
export async function readThreadFile(client: Client, thread: string, given: string, version?: number): Promise<Buffer> {
  const query = version === undefined ? '' : `?version=${version}`;
  const response = await client.fetch(filePath(thread, given) + query);
  return Buffer.from(await response.arrayBuffer());
}

/** The address of a file. `..` is refused here, because URLs resolve it before the service sees it. */
export const filePath = (thread: string, given: string): string =>
  `/api/threads/${encodeURIComponent(thread)}/files/${encodeURIComponent(normalizeFilePath(given))}`;

type Place = {
  /** A file, or a folder that gets the file; this folder when left out. */
  readonly target?: string | undefined;
  /** Replaces a file that exists. */
  readonly replace?: boolean | undefined;
};

/**
 * Writes a file of a thread to this machine, and resolves to its path here. Others choose names in a thread, so only the last part
 * of one is ever used, and only inside the folder that the person named.
 */
export async function saveFile(
  given: string,
  content: Buffer,
  { target = '.', replace = false }: Place,
): Promise<string> {
  const chosen = resolvePath(process.cwd(), target);
  const isFolder = /[/\\]$/.test(target) || (await stat(chosen).catch(() => undefined))?.isDirectory() === true;
  const file = isFolder ? path.join(chosen, lastPart(given)) : chosen;
  await (replace ? replaceFile(file, content) : writeFile(file, content, { flag: 'wx', mode: 0o600 }));
  return file;
}

function lastPart(given: string): string {
  const name = normalizeFilePath(given).split('/').at(-1) ?? '';
  if (path.win32.basename(name) !== name || name.includes(':'))
    throw new Error(`${name} can't be the name of a file on every machine. Name the file to write.`);
  return name;
}

/** A link at that path is replaced, and not followed; a failure leaves the old file. */
async function replaceFile(file: string, content: Buffer): Promise<void> {
  const beside = `${file}.${randomUUID()}.part`;
  try {
    await writeFile(beside, content, { flag: 'wx', mode: 0o600 });
    await rename(beside, file);
  } finally {
    await rm(beside, { force: true });
  }
}

export const isTaken = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EEXIST';
