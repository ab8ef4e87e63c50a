import { GateRefusal } from './gate-refusal.ts';

/** Reads a WebAssembly binary from front to back, and refuses to read past its end. */
export type BinaryReader = {
  readonly offset: number;
  readonly atEnd: boolean;
  byte(): number;
  /** An unsigned LEB128 of at most 32 bits. */
  u32(): number;
  bytes(length: number): Uint8Array;
  name(): string;
};

export function createBinaryReader(binary: Uint8Array): BinaryReader {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let offset = 0;

  const reader: BinaryReader = {
    get offset() {
      return offset;
    },
    get atEnd() {
      return offset === binary.length;
    },
    byte() {
      const byte = binary[offset++];
      if (byte === undefined) throw malformed('it ends too early');
      return byte;
    },
    u32() {
      let value = 0;
      for (let shift = 0; shift < 35; shift += 7) {
        const byte = reader.byte();
        if (shift === 28 && byte > 0x0f) break;
        value += (byte & 0x7f) * 2 ** shift;
        if (byte < 0x80) return value;
      }
      throw malformed('it has a number above 32 bits');
    },
    bytes(length) {
      if (length > binary.length - offset) throw malformed('a part is longer than the whole');
      offset += length;
      return binary.subarray(offset - length, offset);
    },
    name() {
      const bytes = reader.bytes(reader.u32());
      try {
        return decoder.decode(bytes);
      } catch {
        throw malformed('a name is not UTF-8');
      }
    },
  };
  return reader;
}

export function malformed(what: string): GateRefusal {
  return new GateRefusal(
    `The file is not a well-formed component: ${what}. Build it again with an up-to-date toolchain.`,
  );
}

export function encodeU32(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return [...bytes, rest];
}

export function encodeSection(id: number, content: Uint8Array): Uint8Array {
  return joinBytes([Uint8Array.of(id, ...encodeU32(content.length)), content]);
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
