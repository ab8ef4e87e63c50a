import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { packageFile, programFile } from '#program-files.ts';
import { createFrameReader, encodeFrame } from '../jail/inside/frames.ts';
import type { ComponentFiles } from '../jail/jail-call.ts';
import { findMissingLayers, type RequiredLayers } from '../jail/wall.ts';
import { MAX_COMPONENT_BYTES } from './check-component.ts';
import { describeComponent } from './describe-component.ts';

export type PreparedComponent = {
  /** SHA-256 of the component as it was given, in hex. */
  readonly hash: string;
  readonly witVersion: string;
  /** JSON Schema of the params, as text. */
  readonly schema: string;
  readonly description: string;
  readonly files: ComponentFiles;
};

/** The component can't be installed. The message says what is wrong and what to do. */
export class InstallRefused extends Error {
  override readonly name = 'InstallRefused';
}

const MAX_FRAME_BYTES = 2 * MAX_COMPONENT_BYTES;
const MAX_FILES = 200;
const TIMEOUT_MS = 120_000;

const preparerMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('file'), path: z.string().regex(/^tool(\.core\d*\.wasm|\.js)$/) }),
  z.strictObject({ type: z.literal('prepared'), witVersion: z.string().max(32) }),
  z.strictObject({ type: z.literal('refused'), message: z.string() }),
]);

/** Checks and transpiles a component in a separate process, then reads its description in a jail. */
export async function prepareComponent(
  wasm: Uint8Array,
  options: { readonly gates?: boolean; readonly requires?: RequiredLayers } = {},
): Promise<PreparedComponent> {
  if (wasm.length > MAX_COMPONENT_BYTES)
    throw new InstallRefused(`The component has ${wasm.length} bytes; the limit is 32 MiB. Strip debug information.`);

  const { gates = true, requires = [] } = options;
  const missing = await findMissingLayers(requires);
  if (missing) throw new InstallRefused(missing);
  const { files, witVersion } = await transpileApart(wasm, gates);
  const described = gates ? await describeComponent(files) : { schema: '{}', description: '' };
  if ('refusal' in described) throw new InstallRefused(described.refusal);
  return { hash: createHash('sha256').update(wasm).digest('hex'), witVersion, files, ...described };
}

/** Neither the transpiler nor the checks run foreign code; the process isolates their memory use and bugs. */
function transpileApart(wasm: Uint8Array, gates: boolean): Promise<{ files: ComponentFiles; witVersion: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ files: ComponentFiles; witVersion: string }>();
  const files: Record<string, Uint8Array> = Object.create(null) as Record<string, Uint8Array>;
  const child = spawn(process.execPath, [...preparerFlags(), programFile('tools/component/install/preparer')], {
    env: {},
    cwd: '/',
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const read = createFrameReader(MAX_FRAME_BYTES, ({ message, bytes }) => {
    const said = preparerMessage.parse(message);
    if (said.type === 'refused') return reject(new InstallRefused(said.message));
    if (said.type === 'prepared') return resolve({ files: { ...files }, witVersion: said.witVersion });
    files[said.path] = bytes;
    if (Object.keys(files).length > MAX_FILES) throw new Error('Too many files came.');
  });
  child.stdout.on('data', (chunk: Buffer) => {
    try {
      read(chunk);
    } catch (error) {
      reject(error instanceof Error ? error : new Error(String(error)));
    }
  });
  child.stdin.on('error', () => {}); // the process has died, and `close` follows
  child.on('error', reject);
  child.on('close', () => reject(new InstallRefused('The component brought its check down. Build it again, smaller.')));
  child.stdin.write(encodeFrame({ gates }, wasm));
  return promise.finally(() => child.kill('SIGKILL'));
}

/** It can read only the program and its packages. */
function preparerFlags(): string[] {
  return [
    '--permission',
    '--allow-worker', // the transpiler's stand-in for WASI starts a thread when it is loaded
    `--allow-fs-read=${packageFile('src')}/*`,
    `--allow-fs-read=${packageFile('node_modules')}/*`, // in a checkout; in the package, everything is in src
    `--allow-fs-read=${packageFile('package.json')}`,
    '--no-warnings',
    '--max-old-space-size=1024',
  ];
}
