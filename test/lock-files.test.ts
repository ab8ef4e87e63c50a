import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

type Locked = {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
};

/**
 * Binaries for machines other than those we test and deploy on. The registry mirror that wrote the lock files did not have
 * them, so npm recorded no hash; on such a machine npm checks what it downloads against the registry alone. A lock file that
 * is written against the full registry has them all, and then a line here can go.
 */
const WITHOUT_HASH = [
  '@andreiltd/componentize-qjs-binding-',
  '@astrojs/compiler-binding-',
  '@biomejs/cli-',
  '@bytecodealliance/jco-node-fs-',
  '@oxc-parser/binding-',
  '@oxlint-tsgolint/',
  '@oxlint/binding-',
  '@pagefind/',
  '@rolldown/binding-',
  '@tailwindcss/oxide-',
];
const OUR_MACHINES = /(linux-x64(-gnu)?|linux-arm64-gnu)$/;
/** Also missing from the mirror, although we deploy on arm64. */
const STILL_MISSING = ['@rolldown/binding-linux-arm64-gnu', '@astrojs/compiler-binding-linux-arm64-gnu'];

describe.each(['.', 'site'])('the packages of %s', (folder) => {
  test('have a hash each, except binaries for other machines', async () => {
    const bare = (await packagesIn(folder)).filter(({ locked }) => !locked.integrity);
    const unexplained = bare.filter(
      ({ name, locked }) =>
        !locked.optional ||
        !WITHOUT_HASH.some((family) => name.startsWith(family)) ||
        (OUR_MACHINES.test(name) && !STILL_MISSING.includes(name)),
    );
    expect(unexplained.map(({ name }) => name)).toEqual([]);
  });

  test('have hashes of SHA-512, and come from the registry', async () => {
    for (const { name, locked } of await packagesIn(folder)) {
      expect([name, locked.integrity ?? 'sha512-']).toEqual([name, expect.stringMatching(/^sha512-/)]);
      expect([name, locked.resolved ?? 'https://registry.npmjs.org/']).toEqual([
        name,
        expect.stringMatching(/^https:\/\/registry\.npmjs\.org\//),
      ]);
    }
  });

  test('run install scripts only if they are allowed by name', async () => {
    const { allowScripts } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as {
      allowScripts: Record<string, boolean>;
    };
    const wanting = (await packagesIn(folder)).filter(({ locked }) => locked.hasInstallScript);
    expect(Object.keys(allowScripts)).toEqual([...new Set(wanting.map(({ name }) => name))]);
    expect(await readFile(path.join(folder, '.npmrc'), 'utf8')).toMatch(/^strict-allow-scripts=true$/m);
  });
});

async function packagesIn(folder: string): Promise<{ name: string; locked: Locked }[]> {
  const { packages } = JSON.parse(await readFile(path.join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  return Object.entries(packages)
    .filter(([place, { link }]) => place.includes('node_modules/') && !link)
    .map(([place, locked]) => ({
      name: place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length),
      locked,
    }));
}
