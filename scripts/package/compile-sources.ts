import { glob } from 'node:fs/promises';
import path from 'node:path';
import { rolldown } from 'rolldown';

/** Node strips no types below node_modules, so what is published is JavaScript: file by file, each in its old place. */
export async function compileSources(root: string, target: string): Promise<void> {
  const files = await Array.fromAsync(glob(ENTRIES, { cwd: root, exclude: ['**/*.test.ts'] }));
  await using bundle = await rolldown({
    cwd: root,
    input: files.map((file) => path.join(root, file)),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !id.startsWith('#') && !path.isAbsolute(id),
    plugins: [keepManifest],
    onLog: (level, { message }) => {
      if (level === 'warn') throw new Error(message);
    },
  });
  await bundle.write({
    dir: target,
    format: 'esm',
    preserveModules: true,
    preserveModulesRoot: root,
    entryFileNames: '[name].js',
    minify: false,
  });
}

/** Everything that is started or loaded by its name; what they import comes along. */
const ENTRIES = [
  'src/main.ts',
  'src/tools/secrets/keyring-process.ts',
  'src/tools/component/install/preparer.ts',
  'migrations/*.ts',
  'sdk/src/*.ts',
];

/** `package.json` stays a file of its own, since the published one is another. */
const keepManifest = {
  name: 'keep-manifest',
  resolveId: (id: string) => (id.endsWith('/package.json') ? { id, external: true } : null),
};
