import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Archive, BrokenArchive, readArchive } from '#database/archive/read-archive.ts';

/** The archive in `file`, or on the standard input for `-`. */
export function openArchive(file: string): Promise<Archive> {
  const packed = file === '-' ? process.stdin : createReadStream(file);
  const text = createGunzip();
  pipeline(packed, text, () => {}); // what fails is told to whoever reads
  return readArchive(explained(text, file));
}

async function* explained(text: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  try {
    yield* text;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new Error(`There is no file ${file}.`, { cause: error });
    if (!code?.startsWith('Z_')) throw error;
    throw new BrokenArchive(`${file} is no whole archive (${code}). Use another copy of it.`, { cause: error });
  }
}
