import {
  type BinaryReader,
  createBinaryReader,
  encodeSection,
  encodeU32,
  joinBytes,
  malformed,
} from './binary-reader.ts';
import { GateRefusal } from './gate-refusal.ts';

/** The most that a module can claim. The tool's own limit is usually lower; the jail enforces it. */
const MAX_MEMORY_PAGES = 4096; // 256 MiB
const MAX_TABLE_ENTRIES = 100_000;

const HEADER = Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00);
const SECTION = { custom: 0, type: 1, import: 2, table: 4, memory: 5, export: 7 };
const LAST_SECTION = 12;
const KIND = { function: 0, table: 1, memory: 2, global: 3 };
const FUNCTION_TYPE = 0x60;
const REFERENCES = [0x70, 0x6f]; // funcref, externref
const VALUES = [0x7f, 0x7e, 0x7d, 0x7c, 0x7b, ...REFERENCES]; // i32, i64, f32, f64, v128

/** The transpiler pastes names into JavaScript, some without escaping: no quote, backslash, blank or line end. */
const NAME = /^[\w$.:/@[\]#|+-]{0,512}$/;

const NOT_TAKEN =
  'Garbage-collected types, exceptions, threads, several memories in a module and 64-bit memories are not taken: build without them.';

/**
 * Checks a core module and returns it with its limits clamped and without custom sections. Sections, types and kinds
 * that are not known here are refused, and so is every later proposal that needs one.
 */
export function checkCoreModule(binary: Uint8Array): Uint8Array {
  const reader = createBinaryReader(binary);
  if (!HEADER.every((byte) => reader.byte() === byte)) throw malformed('a core module has an unknown header');

  const parts: Uint8Array[] = [HEADER];
  const memories = { left: 1 };
  while (!reader.atEnd) {
    const id = reader.byte();
    const content = reader.bytes(reader.u32());
    if (id === SECTION.custom) continue;
    if (id > LAST_SECTION) throw new GateRefusal(`A core module has an unknown section, ${id}. ${NOT_TAKEN}`);
    parts.push(encodeSection(id, checkSection(id, content, memories)));
  }
  return joinBytes(parts);
}

function checkSection(id: number, content: Uint8Array, memories: { left: number }): Uint8Array {
  const reader = createBinaryReader(content);
  switch (id) {
    case SECTION.type:
      return checkEntries(reader, content, () => checkFunctionType(reader));
    case SECTION.import:
      return checkEntries(reader, content, () => checkImport(reader, memories));
    case SECTION.export:
      return checkEntries(reader, content, () => checkExport(reader));
    case SECTION.table:
      return rewriteEntries(reader, () => clampTable(reader));
    case SECTION.memory:
      return rewriteEntries(reader, () => clampMemory(reader, memories));
    default:
      return content; // validated by the transpiler; without types and imports they add no power
  }
}

function checkEntries(reader: BinaryReader, content: Uint8Array, check: () => void): Uint8Array {
  for (let left = reader.u32(); left > 0; left--) check();
  if (!reader.atEnd) throw malformed('a section is longer than what is in it');
  return content;
}

function rewriteEntries(reader: BinaryReader, rewrite: () => number[]): Uint8Array {
  const count = reader.u32();
  const bytes = encodeU32(count);
  for (let left = count; left > 0; left--) bytes.push(...rewrite());
  if (!reader.atEnd) throw malformed('a section is longer than what is in it');
  return Uint8Array.from(bytes);
}

function checkFunctionType(reader: BinaryReader): void {
  const form = reader.byte();
  if (form !== FUNCTION_TYPE)
    throw new GateRefusal(`A core module defines a type 0x${form.toString(16)}. ${NOT_TAKEN}`);
  for (let left = reader.u32(); left > 0; left--) readType(reader, VALUES);
  for (let left = reader.u32(); left > 0; left--) readType(reader, VALUES);
}

function checkImport(reader: BinaryReader, memories: { left: number }): void {
  checkName(reader.name());
  checkName(reader.name());
  const kind = reader.byte();
  if (kind === KIND.function) reader.u32();
  else if (kind === KIND.table) clampTable(reader);
  else if (kind === KIND.memory) clampMemory(reader, memories);
  else if (kind === KIND.global) {
    readType(reader, VALUES);
    reader.byte();
  } else throw new GateRefusal(`A core module imports something of the unknown kind ${kind}. ${NOT_TAKEN}`);
}

function checkExport(reader: BinaryReader): void {
  checkName(reader.name());
  const kind = reader.byte();
  if (kind > KIND.global)
    throw new GateRefusal(`A core module exports something of the unknown kind ${kind}. ${NOT_TAKEN}`);
  reader.u32();
}

function clampTable(reader: BinaryReader): number[] {
  const type = readType(reader, REFERENCES);
  return [type, ...clampLimits(reader, MAX_TABLE_ENTRIES, 'table')];
}

function clampMemory(reader: BinaryReader, memories: { left: number }): number[] {
  if (memories.left-- === 0) throw new GateRefusal(`A core module has more than one memory. ${NOT_TAKEN}`);
  return clampLimits(reader, MAX_MEMORY_PAGES, 'memory');
}

/** A module that sets no maximum is given ours; one that begins above it can't run. */
function clampLimits(reader: BinaryReader, ceiling: number, what: string): number[] {
  const flags = reader.byte();
  if (flags > 1) throw new GateRefusal(`A ${what} is shared, 64-bit or otherwise unusual. ${NOT_TAKEN}`);
  const minimum = reader.u32();
  const maximum = flags === 1 ? reader.u32() : ceiling;
  if (minimum > ceiling)
    throw new GateRefusal(
      `A ${what} begins with ${minimum} units, above the limit of ${ceiling}. Let it begin smaller.`,
    );
  return [0x01, ...encodeU32(minimum), ...encodeU32(Math.min(maximum, ceiling))];
}

function readType(reader: BinaryReader, known: readonly number[]): number {
  const type = reader.byte();
  if (!known.includes(type)) throw new GateRefusal(`A core module uses a type 0x${type.toString(16)}. ${NOT_TAKEN}`);
  return type;
}

function checkName(name: string): void {
  if (NAME.test(name)) return;
  throw new GateRefusal(
    `A core module imports or exports the name ${JSON.stringify(name.slice(0, 80))}. Names are made of letters, digits and $_.:/@[]#|+- here: rename it.`,
  );
}
