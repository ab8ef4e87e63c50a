import { generate, $init as transpilerReady } from '@bytecodealliance/jco-transpile/component';
import { componentWit } from '@bytecodealliance/jco-transpile/wasm-tools';
import { createFrameReader, encodeFrame } from '../jail/inside/frames.ts';
import { checkComponent, MAX_COMPONENT_BYTES } from './check-component.ts';
import { WIT_VERSION } from './check-imports.ts';
import { GateRefusal } from './gate-refusal.ts';

/** The short-lived process of an install: one component in, the files made of it or a refusal out. */
export type FromPreparer =
  | { type: 'file'; path: string }
  | { type: 'prepared'; witVersion: string }
  | { type: 'refused'; message: string };

const ASYNC_IMPORTS = ['http-request', 'secret-exists'];

await giveUpFiles();
process.stdin.on(
  'data',
  createFrameReader(2 * MAX_COMPONENT_BYTES, ({ message, bytes }) => {
    prepare(bytes, (message as { gates: boolean }).gates).catch((error: unknown) => {
      const text = error instanceof GateRefusal ? error.message : `The component can't be transpiled: ${String(error)}`;
      send({ type: 'refused', message: text.slice(0, 1000) });
    });
  }),
);

async function prepare(wasm: Uint8Array, gates: boolean): Promise<void> {
  const { binary, witVersion } = gates ? checkComponent(wasm) : { binary: wasm, witVersion: WIT_VERSION };
  if (gates) checkExports(await componentWit(binary));
  for (const [path, bytes] of transpile(binary, witVersion)) send({ type: 'file', path }, bytes);
  send({ type: 'prepared', witVersion });
}

/** Both programs are loaded before the first foreign byte is read. After that, files and new threads are denied. */
async function giveUpFiles(): Promise<void> {
  const emptyComponent = Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 0x0d, 0x00, 0x01, 0x00);
  await Promise.all([transpilerReady, componentWit(emptyComponent)]);
  const { permission } = process as unknown as { permission?: { drop?(scope: string): void } };
  for (const scope of ['fs', 'worker']) permission?.drop?.(scope);
}

function transpile(component: Uint8Array, witVersion: string): [string, Uint8Array][] {
  const imports = ASYNC_IMPORTS.map((name) => `reborn:tool/host@${witVersion}#${name}`);
  const { files } = generate(component, {
    name: 'tool',
    instantiation: { tag: 'async' },
    asyncMode: { tag: 'jspi', val: { imports, exports: ['execute'] } },
    noTypescript: true,
    noNodejsCompat: true,
    noComponentErrorWrapping: true,
    base64Cutoff: 0,
    map: [],
  });
  return files;
}

function send(message: FromPreparer, bytes?: Uint8Array): void {
  process.stdout.write(encodeFrame(message, bytes));
}

const WANTED = [
  'record request { params: string, }',
  'record response { output: option<string>, error: option<string>, }',
  'export execute: func(request: request) -> response;',
  'export schema: func() -> string;',
  'export description: func() -> string;',
];

/** Compares the component's own world, as wasm-tools prints it, with ours. More exports than ours do no harm. */
export function checkExports(wit: string): void {
  const world = wit.replaceAll(/\s+/g, ' ');
  const missing = WANTED.filter((line) => !world.includes(line));
  if (missing.length === 0) return;
  throw new GateRefusal(
    `The component lacks \`${missing.join('` and `')}\`. Build it for the world \`tool\` of reborn:tool.`,
  );
}
