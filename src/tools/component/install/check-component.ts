import { type BinaryReader, createBinaryReader, encodeSection, joinBytes, malformed } from './binary-reader.ts';
import { checkCoreModule } from './check-core-module.ts';
import { type ComponentImport, checkImports } from './check-imports.ts';
import { GateRefusal } from './gate-refusal.ts';

export type CheckedComponent = { readonly binary: Uint8Array; readonly witVersion: string };

export const MAX_COMPONENT_BYTES = 32 * 1024 * 1024;

const MAX_MODULES = 64;
const MAX_INSTANCES = 256;
const MAX_DEPTH = 8;

const COMPONENT_HEADER = Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 0x0d, 0x00, 0x01, 0x00);
const SECTION = { custom: 0, coreModule: 1, coreInstance: 2, component: 4, import: 10 };
const LAST_SECTION = 11;
const IMPORT_KIND = { coreModule: 0, function: 1, value: 2, type: 3, component: 4, instance: 5 };

/** The checks that need only the bytes. The result has clamped memories and tables. */
export function checkComponent(wasm: Uint8Array): CheckedComponent {
  if (wasm.length > MAX_COMPONENT_BYTES)
    throw new GateRefusal(`The component has ${wasm.length} bytes; the limit is 32 MiB. Strip debug information.`);
  if (!startsWith(wasm, COMPONENT_HEADER)) throw new GateRefusal(notAComponent(wasm));

  const left = { modules: MAX_MODULES, instances: MAX_INSTANCES };
  const imports: ComponentImport[] = [];
  const binary = rewrite(wasm, left, 0, imports);
  return { binary, witVersion: checkImports(imports) };
}

type Left = { modules: number; instances: number };

/** What a nested component imports comes from the one around it, so only the outermost has a list of imports. */
function rewrite(wasm: Uint8Array, left: Left, depth: number, imports?: ComponentImport[]): Uint8Array {
  if (!startsWith(wasm, COMPONENT_HEADER)) throw malformed('a nested component has an unknown header');
  if (depth > MAX_DEPTH) throw new GateRefusal(`Components are nested more than ${MAX_DEPTH} deep. Flatten them.`);

  const reader = createBinaryReader(wasm);
  const parts = [reader.bytes(COMPONENT_HEADER.length)];
  while (!reader.atEnd) {
    const id = reader.byte();
    const content = reader.bytes(reader.u32());
    if (id === SECTION.custom) continue;
    if (id > LAST_SECTION) throw new GateRefusal(`The component has a section of the unknown kind ${id}.`);
    parts.push(encodeSection(id, rewriteSection(id, content, left, depth, imports)));
  }
  return joinBytes(parts);
}

function rewriteSection(
  id: number,
  content: Uint8Array,
  left: Left,
  depth: number,
  imports: ComponentImport[] | undefined,
): Uint8Array {
  if (id === SECTION.component) return rewrite(content, left, depth + 1);
  if (id === SECTION.coreModule) {
    if (left.modules-- === 0) throw new GateRefusal(`The component has more than ${MAX_MODULES} core modules.`);
    return checkCoreModule(content);
  }
  if (id === SECTION.coreInstance) {
    left.instances -= createBinaryReader(content).u32();
    if (left.instances < 0) throw new GateRefusal(`The component makes more than ${MAX_INSTANCES} core instances.`);
  }
  if (id === SECTION.import) imports?.push(...readImports(createBinaryReader(content)));
  return content;
}

function readImports(reader: BinaryReader): ComponentImport[] {
  const imports: ComponentImport[] = [];
  for (let left = reader.u32(); left > 0; left--) {
    if (reader.byte() > 1) throw malformed('an import has a name of an unknown form');
    const name = reader.name();
    imports.push({ name, kind: readImportKind(reader) });
  }
  if (!reader.atEnd) throw malformed('a section is longer than what is in it');
  return imports;
}

function readImportKind(reader: BinaryReader): ComponentImport['kind'] {
  const kind = reader.byte();
  if (kind === IMPORT_KIND.instance) {
    reader.u32();
    return 'instance';
  }
  // A name for a type that is defined already. Any other import would be something to call or to hold.
  if (kind === IMPORT_KIND.type && reader.byte() === 0) {
    reader.u32();
    return 'type';
  }
  throw new GateRefusal(
    'The component imports something that is neither an interface nor the name of a type. Build it for the world `tool` of reborn:tool.',
  );
}

function startsWith(wasm: Uint8Array, header: Uint8Array): boolean {
  return header.every((byte, index) => wasm[index] === byte);
}

function notAComponent(wasm: Uint8Array): string {
  const core = startsWith(wasm, Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00));
  if (core)
    return 'The file is a core WebAssembly module. Make a component of it, for example with `wasm-tools component new`.';
  return 'The file is not a WebAssembly component. Give the .wasm that your build made for the world `tool` of reborn:tool.';
}
