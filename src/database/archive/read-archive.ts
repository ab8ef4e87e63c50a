import {
  type ArchivedFile,
  type ArchiveEnd,
  type ArchiveHeader,
  createSum,
  END_OF_ROWS,
  type TableStart,
  type TableSum,
} from './archive-format.ts';

export type ReadTable = {
  readonly name: string;
  readonly columns: readonly string[];
  /** Must be read to the end before the next table; throws there if the checksum does not match. */
  readonly rows: AsyncIterable<Buffer>;
  /** The count and checksum of the rows, available once they are read. */
  sum(): TableSum;
};

export type Archive = {
  readonly header: ArchiveHeader;
  readonly files: readonly ArchivedFile[];
  readonly tables: AsyncIterable<ReadTable>;
};

/** The file is not an archive, or is incomplete. */
export class BrokenArchive extends Error {
  override readonly name = 'BrokenArchive';
}

/** `text` is the archive's uncompressed text, which is read on demand. */
export async function readArchive(text: AsyncIterable<Buffer>): Promise<Archive> {
  const lines = linesOf(text);
  const header = parseHeader(await nextLine(lines));
  const files: ArchivedFile[] = [];
  let entry = await nextEntry(lines);
  for (; 'file' in entry; entry = await nextEntry(lines)) files.push(entry);
  return { header, files, tables: readTables(lines, entry) };
}

type Lines = AsyncGenerator<Buffer, undefined>;
type Entry = ArchivedFile | TableStart | ArchiveEnd;

async function* readTables(lines: Lines, first: Entry): AsyncGenerator<ReadTable> {
  let seen = 0;
  let entry = first;
  for (; 'table' in entry; entry = await nextEntry(lines)) {
    seen++;
    let sum: TableSum | undefined;
    const rows = readRows(lines, (total) => (sum = total));
    yield { name: entry.table, columns: entry.columns, rows, sum: () => sum ?? fail() };
  }
  if (!('end' in entry) || entry.tables !== seen) fail();
}

const BATCH_BYTES = 64 * 1024;

async function* readRows(lines: Lines, onEnd: (sum: TableSum) => void): AsyncGenerator<Buffer> {
  const sum = createSum();
  let batch: Buffer[] = [];
  let bytes = 0;
  for (let line = await nextLine(lines); !isEndOfRows(line); line = await nextLine(lines)) {
    batch.push(line);
    bytes += line.length;
    if (bytes < BATCH_BYTES) continue;
    const rows = Buffer.concat(batch);
    sum.add(rows);
    yield rows;
    batch = [];
    bytes = 0;
  }
  const rest = Buffer.concat(batch);
  sum.add(rest);
  if (rest.length > 0) yield rest;

  const written = parseJson(await nextLine(lines)) as TableSum;
  const total = sum.total();
  if (written.rows !== total.rows || written.sha256 !== total.sha256) throw new BrokenArchive(DAMAGED);
  onEnd(total);
}

function parseHeader(line: Buffer): ArchiveHeader {
  const header = line.subarray(0, 1).toString() === '{' ? (parseJson(line) as Partial<ArchiveHeader>) : {};
  if (header.format !== 'reborn-archive') throw new BrokenArchive('The file is not a Reborn archive.');
  if (header.version !== 1)
    throw new BrokenArchive('The archive was made by a newer Reborn. Upgrade this one, then try again.');
  return header as ArchiveHeader;
}

const nextEntry = async (lines: Lines): Promise<Entry> => parseJson(await nextLine(lines)) as Entry;

async function nextLine(lines: Lines): Promise<Buffer> {
  const { value } = await lines.next();
  return value ?? fail();
}

function parseJson(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString()) as unknown;
  } catch (error) {
    throw new BrokenArchive(DAMAGED, { cause: error });
  }
}

const isEndOfRows = (line: Buffer): boolean =>
  line.length === END_OF_ROWS.length + 1 && line.toString().startsWith(END_OF_ROWS);

/** Each line with its line break. A row may be longer than many chunks. */
async function* linesOf(text: AsyncIterable<Buffer>): Lines {
  let open: Buffer[] = [];
  for await (const chunk of text) {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      const end = chunk.subarray(from, at + 1);
      yield open.length > 0 ? Buffer.concat([...open, end]) : end;
      open = [];
      from = at + 1;
    }
    if (from < chunk.length) open.push(chunk.subarray(from));
  }
  if (open.length > 0) throw new BrokenArchive(DAMAGED);
  return undefined;
}

const DAMAGED = 'The archive is damaged or ends too early. Nothing was changed. Use another copy of it.';

function fail(): never {
  throw new BrokenArchive(DAMAGED);
}
