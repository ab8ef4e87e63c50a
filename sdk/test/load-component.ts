import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transpile } from '@bytecodealliance/jco-transpile';
import { WASIShim } from '@bytecodealliance/preview2-shim/instantiation';
import type { HostImports } from '../src/tool-world.ts';

/** Like the jail: requests are asynchronous, though the guest sees them as plain calls. */
export type AsyncHost = Omit<HostImports, 'httpRequest'> & {
  readonly httpRequest: (
    ...request: Parameters<HostImports['httpRequest']>
  ) => Promise<ReturnType<HostImports['httpRequest']>>;
};

export type LoadedComponent = {
  /** Each call has a separate instance. */
  readonly execute: (params: string) => Promise<{ output?: string; error?: string }>;
  readonly schema: () => Promise<string>;
  readonly description: () => Promise<string>;
};

// The compiler knows WebAssembly only through the browser's types.
declare const WebAssembly: { compile: (bytes: Uint8Array) => Promise<CoreModule> };
type CoreModule = object;

type Exports = {
  execute: (request: { params: string }) => Promise<{ output?: string; error?: string }>;
  schema: () => string | Promise<string>;
  description: () => string | Promise<string>;
};
type Instantiate = (getCoreModule: (path: string) => CoreModule, imports: object) => Promise<Exports>;

/** Runs a component without a jail. Only for tests, and for trusted tools. */
export async function loadComponent(path: string, host: AsyncHost): Promise<LoadedComponent> {
  const { instantiate, modules } = await importComponent(path);
  const wasi = new WASIShim().getImportObject();
  const fresh = () => instantiate((name) => getModule(modules, name), { ...wasi, 'reborn:tool/host': host });

  return {
    execute: async (params) => (await fresh()).execute({ params }),
    schema: async () => (await fresh()).schema(),
    description: async () => (await fresh()).description(),
  };
}

async function importComponent(path: string) {
  const folder = await mkdtemp(join(tmpdir(), 'component-'));
  try {
    const modules = new Map<string, CoreModule>();
    for (const [name, bytes] of Object.entries(await transpiled(path))) {
      if (name.endsWith('.wasm')) modules.set(name, await WebAssembly.compile(bytes));
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), bytes);
    }
    const url = pathToFileURL(join(folder, 'tool.js')).href;
    const { instantiate } = (await import(/* @vite-ignore */ url)) as { instantiate: Instantiate };
    return { instantiate, modules };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function transpiled(path: string): Promise<Record<string, Uint8Array>> {
  const { files } = await transpile(path, {
    name: 'tool',
    instantiation: 'async',
    asyncMode: 'jspi',
    asyncImports: ['reborn:tool/host@1.0.0#http-request'],
    asyncExports: ['execute'],
    wasiShim: false,
    emitTypescriptDeclarations: false,
  });
  return files;
}

function getModule(modules: ReadonlyMap<string, CoreModule>, name: string): CoreModule {
  const module = modules.get(name);
  if (!module) throw new Error(`The component has no core module ${name}`);
  return module;
}
