import { glob } from 'node:fs/promises';
import path from 'node:path';
import { type InputOptions, type OutputOptions, rolldown } from 'rolldown';
import { PROGRAMS } from '../../src/program-files.ts';

/** Native code and compilers: npm installs them. Every other dependency is bundled. */
export const NOT_BUNDLED = /^(@napi-rs\/keyring|rolldown|componentize-qjs)(\/|$)/;
/** Optional modules that `pg` tries to load. */
const ABSENT = /^pg-(native|cloudflare)$/;

/** Node strips no types below node_modules, and loads a few files faster than 900, so the package is bundled JavaScript. */
export async function compileSources(root: string, target: string, more: readonly string[] = []): Promise<void> {
  await compileProgram(root, target, more);
  await compileToolKit(root, target);
}

/** The program with its dependencies. A lazy import becomes a file that is loaded when it is needed. */
function compileProgram(root: string, target: string, more: readonly string[]): Promise<void> {
  const entries = ['src/main.ts', 'migrations/*.ts', ...PROGRAMS.map((program) => `src/${program}.ts`), ...more];
  return compile(
    { root, entries, external: [NOT_BUNDLED, ABSENT], plugins: [keepOutside] },
    {
      dir: target,
      // Directly in src/, see program-files.ts. The bundler names a shared chunk after all modules that use it.
      chunkFileNames: ({ name }) => `src/${/^(?:shared|packages)(?=~)/.exec(name)?.[0] ?? '[name]'}.js`,
      codeSplitting: { groups: [PACKAGES, SHARED] },
      strictExecutionOrder: true, // merged files may import each other
    },
  );
}

/** Groups code that several parts use into few files: small chunks are merged. Models are excluded, because a start needs nothing of them but the estimate of tokens. */
const SHARED = {
  name: 'shared',
  test: (id: string) => !/\/src\/models\/(?!estimate-tokens)|@ai-sdk|genai-prices/.test(id),
  minShareCount: 2,
  entriesAware: true,
  entriesAwareMergeThreshold: 40000,
};

/** Apart from our code, so that no two files import each other: a CommonJS module of a package would then run too early. */
const PACKAGES = {
  ...SHARED,
  name: 'packages',
  test: (id: string) => id.includes('/node_modules/') && SHARED.test(id),
  priority: 1,
};

/** File by file: tool authors import them by name and bundle them themselves. */
function compileToolKit(root: string, target: string): Promise<void> {
  const outside = (id: string) => !id.startsWith('.') && !path.isAbsolute(id);
  const output = { dir: target, preserveModules: true, preserveModulesRoot: root };
  return compile({ root, entries: ['sdk/src/*.ts'], external: outside, plugins: [] }, output);
}

type Input = Pick<InputOptions, 'external' | 'plugins'> & { readonly root: string; readonly entries: string[] };

async function compile({ root, entries, ...input }: Input, output: OutputOptions): Promise<void> {
  const files = await Array.fromAsync(glob(entries, { cwd: root, exclude: ['**/*.test.ts'] }));
  await using bundle = await rolldown({
    ...input,
    cwd: root,
    input: Object.fromEntries(files.map((file) => [file.replace(/\.ts$/, ''), path.join(root, file)])),
    platform: 'node',
    onLog: (level, { code, message }) => {
      // The transpiler's modules begin with a directive that means nothing to Node.
      if (level === 'warn' && code !== 'MODULE_LEVEL_DIRECTIVE') throw new Error(message);
    },
  });
  await bundle.write({ ...output, format: 'esm', entryFileNames: '[name].js', minify: false });
}

/** The manifest, because the published one differs, and the tool kit, which is compiled separately. */
const keepOutside = {
  name: 'keep-outside',
  resolveId(id: string, importer: string | undefined) {
    const [, file] = /^(?:\.\.\/)+(package\.json|sdk\/src\/.*)$/.exec(id) ?? [];
    const isOurs = file !== undefined && !importer?.includes('node_modules');
    return isOurs ? { id: `../${file.replace(/\.ts$/, '.js')}`, external: true } : null;
  },
};
