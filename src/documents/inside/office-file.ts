import { unzipSync } from 'fflate';
import { Parser } from 'htmlparser2';
import { Unreadable } from './pages.ts';

const MIB = 1024 * 1024;
const MOST_ENTRIES = 1000;
const MOST_UNPACKED = 200 * MIB;
const MOST_RATIO = 100;
/** A small part can be compressed as well as it likes. */
const SMALL = MIB;
const MOST_OPEN = 2000;

/** The parts of a file that is a ZIP of XML files. Only those that are asked for are unpacked; archives inside it never are. */
export type OfficeFile = { part(name: string): string | undefined };

/** `isWanted` names the parts to unpack. */
export function openOfficeFile(bytes: Uint8Array, isWanted: (name: string) => boolean): OfficeFile {
  let entries = 0;
  let unpacked = 0;
  const filter = ({ name, size, originalSize }: { name: string; size: number; originalSize: number }): boolean => {
    if (++entries > MOST_ENTRIES) throw new Unreadable(`It consists of more than ${MOST_ENTRIES} parts.`);
    unpacked += originalSize;
    if (unpacked > MOST_UNPACKED) throw new Unreadable('Unpacked, it has more than 200 MiB.');
    if (originalSize > SMALL && originalSize > MOST_RATIO * size)
      throw new Unreadable('It is compressed so much that it could be a ZIP bomb.');
    return isWanted(name);
  };
  const parts = unzip(bytes, filter);
  return { part: (name) => (parts[name] ? new TextDecoder().decode(parts[name]) : undefined) };
}

function unzip(bytes: Uint8Array, filter: NonNullable<Parameters<typeof unzipSync>[1]>['filter']) {
  try {
    return unzipSync(bytes, filter ? { filter } : {});
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable('It is not a complete file of its kind: it may be damaged, or protected with a password.');
  }
}

export type Attributes = Readonly<Record<string, string>>;

export type XmlEvents = {
  /** Names are without their prefix. */
  open?(name: string, attributes: Attributes): void;
  text?(text: string): void;
  close?(name: string): void;
};

/** Reads an XML file by its events. Declarations are refused: no office file has them, and entities can be bombs. */
export function readXml(xml: string, events: XmlEvents): void {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (++depth > MOST_OPEN) throw new Unreadable('Its elements are nested too deeply.');
        events.open?.(localName(name), attributes);
      },
      ontext: (given) => events.text?.(given),
      onclosetag: (name) => {
        depth--;
        events.close?.(localName(name));
      },
      onprocessinginstruction: (name) => {
        if (name.startsWith('!'))
          throw new Unreadable('It declares XML entities, which no document of this kind does.');
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** An attribute by its name without a prefix. */
export const attributeOf = (attributes: Attributes, name: string): string | undefined => {
  for (const key in attributes) if (localName(key) === name) return attributes[key];
  return undefined;
};

/** The files that a part refers to, by the id of the reference. References to addresses outside are left out. */
export function readReferences(file: OfficeFile, part: string): Map<string, { type: string; target: string }> {
  const slash = part.lastIndexOf('/') + 1;
  const folder = part.slice(0, slash);
  const found = new Map<string, { type: string; target: string }>();
  readXml(file.part(`${folder}_rels/${part.slice(slash)}.rels`) ?? '', {
    open(name, { Id, Type = '', Target = '', TargetMode }) {
      if (name !== 'Relationship' || Id === undefined || TargetMode === 'External') return;
      const url = URL.parse(Target, `file:///${folder}`);
      if (url) found.set(Id, { type: Type.slice(Type.lastIndexOf('/') + 1), target: url.pathname.slice(1) });
    },
  });
  return found;
}
