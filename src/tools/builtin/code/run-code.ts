import { NotFound } from '#domain/errors.ts';
import type { AttachmentHash } from '#domain/ids.ts';
import { isShownPicture, mediaTypeOf } from '#domain/text/media-type.ts';
import { hashOf } from '#domain/thread/attachment.ts';
import { normalizeFilePath } from '#domain/workspace/path.ts';
import { PLAIN_FILE, type Workspace } from '#domain/workspace/version.ts';
import {
  type Call,
  type Changes,
  NoSandbox,
  type Ran,
  type Sandbox,
  type Sandboxes,
  type SandboxFile,
  SandboxLost,
  type Strength,
} from '#sandbox/sandbox.ts';
import type { ToolContext } from '../../tool.ts';
import type { FileChange, OpenWorkspace } from '../../workspace-port.ts';
import { describeRun, isLong, showControls } from './describe-run.ts';
import type { CallNetwork, CodeNetwork } from './network.ts';

/** How many files are read from the database at once to fill a sandbox. */
const READ_AT_ONCE = 40;
const MOST_PICTURES = 8;
const MOST_PICTURE_BYTES = 5_000_000;
/** A sandbox that ends by itself is replaced once. */
const STARTS = 2;

/** Runs code on the thread's files in a sandbox, and stages what it changed. Nothing counts before the output is written. */
export async function runCode(
  sandboxes: Pick<Sandboxes, 'open'>,
  strength: Strength,
  call: Call,
  context: ToolContext,
  network?: CodeNetwork,
): Promise<string> {
  const { workspace, signal } = context;
  if (!workspace) throw new NotFound('Code can run in a conversation only.');
  const opened = await workspace.open();
  context.onReads?.({ private: true, foreign: opened.isForeign || network !== undefined });
  for (let start = 1; ; start++) {
    try {
      const key = { workspace: `${opened.id}${opened.shared ?? ''}`, version: opened.version };
      const sandbox = await sandboxes.open(key, filesOf(workspace, opened), signal);
      return await withNetwork(network, opened, context, (way) => runIn(sandbox, strength, call, opened, context, way));
    } catch (error) {
      if (error instanceof NoSandbox) return `Not run: ${error.message}`;
      if (!(error instanceof SandboxLost)) throw error;
      if (network) return INTERRUPTED;
      if (start === STARTS) return 'Not run: the sandbox ended twice. The files are as before the call.';
    }
  }
}

const INTERRUPTED =
  'interrupted: the sandbox ended. The files are as before the call. What it has sent is unknown, so it was not repeated.';

/** What the call has reached is recorded, however it ends. */
async function withNetwork(
  network: CodeNetwork | undefined,
  opened: Workspace,
  { owner }: ToolContext,
  run: (way: CallNetwork | undefined) => Promise<string>,
): Promise<string> {
  const way = await network?.open(owner, opened.id);
  try {
    return await run(way);
  } finally {
    await way?.close();
  }
}

async function runIn(
  sandbox: Sandbox,
  strength: Strength,
  call: Call,
  opened: Workspace,
  context: ToolContext,
  way: CallNetwork | undefined,
): Promise<string> {
  const { ran, changes, long, isHeld } = await runOnce(sandbox, call, opened, context, way).catch(
    async (error: unknown) => {
      await sandbox.discard();
      throw error;
    },
  );
  const { staged, refused } = toStaged(changes);
  context.onRan?.({ outcome: ran.outcome, exitCode: ran.exitCode, layers: strength.layers });
  if (ran.outcome !== 'exit') context.onStopped?.(ran.outcome);
  // Names that were left out are still in the sandbox: it no longer has exactly the files of a version.
  const isExact = refused.length === 0 && !changes.excess && isHeld;
  if (long) staged.push({ path: long.path, content: long.bytes, sha256: long.sha256 });
  if (staged.length === 0 || changes.excess) {
    if (!isExact) await sandbox.discard();
    else sandbox.committed(opened.version);
    return describeRun(call, ran, { ...changes, refused });
  }
  context.workspace?.stage(staged, {
    environment: `${strength.environment?.digest} ${strength.layers.join()}`,
    isForeign: opened.isForeign || way !== undefined, // the code may have copied what others wrote
    onEnd: (version) => void (version === undefined || !isExact ? sandbox.discard() : sandbox.committed(version)),
  });
  showPictures(changes.files, context);
  return describeRun(call, ran, { ...changes, refused }, long?.path);
}

/** What a call did. The sandbox gets the file of a long output, too, so that it still has the files of the version. */
async function runOnce(
  sandbox: Sandbox,
  call: Call,
  opened: Workspace,
  context: ToolContext,
  way: CallNetwork | undefined,
) {
  const on = { progress: showProgress(context), signal: context.signal, accept: way?.accept };
  const ran = await sandbox.run(call, on);
  context.signal.throwIfAborted();
  const changes = await sandbox.changes();
  const long = isLong(ran) && !changes.excess ? outputFile(ran, opened, changes) : undefined;
  const isHeld = !long || (changes.refusedCount === 0 && (await sandbox.add(long)));
  return { ran, changes, long, isHeld };
}

type OutputFile = SandboxFile & { readonly bytes: Buffer; readonly sha256: AttachmentHash };

/** A long output as a file of the same version, with the next number. None if the folder's name is that of a file. */
function outputFile({ output }: Ran, { files }: Workspace, changes: Changes): OutputFile | undefined {
  const paths = [...files.keys(), ...changes.files.map(({ path }) => path)];
  if (paths.includes('.output')) return undefined;
  const numbers = paths.map((path) => Number(/^\.output\/(\d{1,6})\.txt$/.exec(path)?.[1] ?? 0));
  const bytes = Buffer.from(output);
  const path = `.output/${Math.max(0, ...numbers) + 1}.txt`;
  return { path, mode: PLAIN_FILE, bytes, sha256: hashOf(bytes) };
}

async function* filesOf(workspace: OpenWorkspace, { files }: Workspace): AsyncGenerator<SandboxFile> {
  const all = [...files.values()];
  for (let at = 0; at < all.length; at += READ_AT_ONCE) {
    const page = all.slice(at, at + READ_AT_ONCE);
    const contents = await workspace.readAll(page);
    for (const [index, { path, mode, sha256 }] of page.entries())
      yield { path, mode, sha256, bytes: contents[index] ?? Buffer.of() };
  }
}

/** The changes as files of the workspace. Code can give files names that a workspace doesn't have. */
function toStaged(changes: Changes): { staged: FileChange[]; refused: Changes['refused'] } {
  const staged: FileChange[] = changes.removed.map((path) => ({ path, content: null }));
  const refused = [...changes.refused];
  for (const { path, mode, bytes, sha256 } of changes.files) {
    if (isPlain(path))
      staged.push({ path, mode, content: Buffer.from(bytes), sha256: sha256 as AttachmentHash }); // computed by the service
    else refused.push({ name: showControls(path), reason: 'name' });
  }
  return { staged, refused };
}

function isPlain(path: string): boolean {
  try {
    return normalizeFilePath(path) === path;
  } catch {
    return false;
  }
}

function showProgress({ onProgress }: ToolContext): (text: string) => void {
  let told = 0;
  return (text) => onProgress?.({ progress: ++told, total: null, message: showControls(text) });
}

function showPictures(files: readonly SandboxFile[], { onFile }: ToolContext): void {
  const pictures = files.filter(
    ({ path, bytes }) => isShownPicture(mediaTypeOf(path)) && bytes.length <= MOST_PICTURE_BYTES,
  );
  for (const { path, bytes } of pictures.slice(0, MOST_PICTURES))
    onFile?.({
      type: 'image',
      filename: path,
      mediaType: mediaTypeOf(path),
      base64: Buffer.from(bytes).toString('base64'),
    });
}
