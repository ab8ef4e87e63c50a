import { Readable } from 'node:stream';
import { Zip, ZipDeflate } from 'fflate';
import type { WorkspaceFile } from '#domain/workspace/version.ts';

/** An archive of files, whose bytes are read one file at a time while it is sent. */
export function zipFiles(
  files: readonly WorkspaceFile[],
  read: (files: readonly WorkspaceFile[]) => Promise<readonly Buffer[]>,
): Readable {
  return Readable.from(zipPieces(files, read));
}

async function* zipPieces(
  files: readonly WorkspaceFile[],
  read: (files: readonly WorkspaceFile[]) => Promise<readonly Buffer[]>,
): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error) throw error;
    pieces.push(piece);
  });
  for (const file of files) {
    const [bytes = Buffer.of()] = await read([file]);
    const entry = new ZipDeflate(file.path, { level: 6 });
    entry.attrs = file.mode << 16;
    entry.os = 3; // Unix, so that the mode counts
    zip.add(entry);
    entry.push(bytes, true);
    yield* pieces.splice(0);
  }
  zip.end();
  yield* pieces.splice(0);
}
