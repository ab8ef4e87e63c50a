import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Enclosure } from '#domain/tool/enclosure.ts';
import type { DocumentKind, Page } from '#domain/workspace/document.ts';
import type { ReaderRequest } from './inside/extract.ts';
import { loadProgram, RUN } from './program.ts';

/** The pages of a document, or the reason why it can't be read, as a sentence. */
export type Extracted = { readonly pages: readonly Page[] } | Unread;
export type Extract = (kind: DocumentKind, bytes: Uint8Array, signal: AbortSignal) => Promise<Extracted>;
type Unread = { readonly reason: string };

/** What pages of a PDF show, as PNGs in base64. Those without a picture that can be decoded are left out. */
export type Drawn = { readonly pictures: readonly { readonly page: number; readonly png: string }[] } | Unread;
export type Draw = (bytes: Uint8Array, pages: readonly number[], signal: AbortSignal) => Promise<Drawn>;

type ExtractorOptions = {
  /** What the operating system denies the process in addition, where it can. */
  readonly findWall: () => Promise<Enclosure>;
  readonly timeoutMs?: number;
};

const MIB = 1024 * 1024;
const TIMEOUT_MS = 60_000;
const MOST_MEMORY = 512 * MIB;
const HEAP_MB = 384;
/** 20 MiB of text, which JSON can make several times as long. */
const MOST_OUTPUT = 128 * MIB;
const LOOK_MS = 100;

/** Without any right: no files, no network, no other process, no thread. */
const FLAGS = [
  '--permission',
  '--no-warnings',
  '--no-addons',
  '--disallow-code-generation-from-strings',
  `--max-old-space-size=${HEAP_MB}`,
  '--input-type=module',
  '--eval',
  RUN,
];

const unread = z.strictObject({ reason: z.string().max(500) });
const extracted = z.union([
  unread,
  z.strictObject({
    pages: z.array(
      z.strictObject({
        label: z.string().max(500),
        blocks: z.array(z.strictObject({ heading: z.string().max(500), text: z.string() })),
      }),
    ),
  }),
]);
const drawn = z.union([
  unread,
  z.strictObject({ pictures: z.array(z.strictObject({ page: z.int(), png: z.base64() })) }),
]);

/** Reads documents, each in its own process: whatever a file does to its reader, nothing else is there to be reached. */
export function createExtractor(options: ExtractorOptions): Extract {
  return (kind, bytes, signal) => runReader(options, { kind }, bytes, signal, extracted);
}

/** The same for the pictures on pages of a PDF, such as scans. */
export function createDrawer(options: ExtractorOptions): Draw {
  return (bytes, draw, signal) => runReader(options, { kind: 'pdf', draw }, bytes, signal, drawn);
}

async function runReader<Answer>(
  { findWall, timeoutMs = TIMEOUT_MS }: ExtractorOptions,
  request: ReaderRequest,
  bytes: Uint8Array,
  signal: AbortSignal,
  answer: z.ZodType<Answer>,
): Promise<Answer | Unread> {
  const [program, wall] = await Promise.all([loadProgram(), findWall()]);
  signal.throwIfAborted();
  const { file, args, ...user } = wall.enclose(process.execPath, FLAGS);
  const child = spawn(file, args, { ...user, env: {}, cwd: '/', stdio: ['pipe', 'pipe', 'ignore'] });
  const limits = watch(child, signal, timeoutMs);
  child.stdin.on('error', () => {}); // the process has died, and `close` follows
  child.stdin.write(program);
  child.stdin.write(`${JSON.stringify(request)}\n`);
  child.stdin.end(bytes);
  try {
    return await readAnswer(child, limits, answer);
  } finally {
    limits.stop();
  }
}

type Limits = ReturnType<typeof watch>;

async function readAnswer<Answer>(
  child: ChildProcess,
  limits: Limits,
  answer: z.ZodType<Answer>,
): Promise<Answer | Unread> {
  const chunks: Buffer[] = [];
  let size = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MOST_OUTPUT) limits.end('It has too much text.');
    else chunks.push(chunk);
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.on('error', reject);
  child.on('close', () => resolve());
  await promise;
  if (limits.ended()) return { reason: limits.ended() ?? '' };
  try {
    return answer.parse(JSON.parse(Buffer.concat(chunks).toString()));
  } catch {
    return { reason: 'It brought its reader down, for example because it needs too much memory.' };
  }
}

/** Ends a process that takes too long, or too much memory. The reason is undefined as long as it did neither. */
function watch(child: ChildProcess, signal: AbortSignal, timeoutMs: number) {
  let reason: string | undefined;
  const end = (why: string) => {
    reason ??= why;
    child.kill('SIGKILL');
  };
  const late = setTimeout(end, timeoutMs, `Reading it took longer than ${Math.round(timeoutMs / 1000)} seconds.`);
  const onAbort = () => end('It was stopped.');
  signal.addEventListener('abort', onAbort);
  const look = async () => {
    if (child.pid && (await residentBytes(child.pid)) > MOST_MEMORY)
      end('Reading it needs more than 512 MiB of memory.');
  };
  const looking = setInterval(() => void look(), LOOK_MS);
  return {
    end,
    ended: () => {
      if (signal.aborted) throw signal.reason;
      return reason;
    },
    stop() {
      clearTimeout(late);
      clearInterval(looking);
      signal.removeEventListener('abort', onAbort);
    },
  };
}

/** Of a process and those that it started. 0 where there is no /proc: there, only the heap is limited. */
async function residentBytes(pid: number): Promise<number> {
  try {
    const [memory, children] = await Promise.all([
      readFile(`/proc/${pid}/statm`, 'utf8'),
      readFile(`/proc/${pid}/task/${pid}/children`, 'utf8'),
    ]);
    const own = Number(memory.split(' ')[1]) * 4096;
    const others = await Promise.all(
      children
        .split(' ')
        .filter(Boolean)
        .map((each) => residentBytes(Number(each))),
    );
    return others.reduce((sum, bytes) => sum + bytes, own);
  } catch {
    return 0;
  }
}
