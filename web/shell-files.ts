import { createHash } from 'node:crypto';
import type { Plugin, Rolldown } from 'vite';
import { findFont } from './first-font.ts';

const WORKER = 'service-worker.js';

/**
 * Writes into the service worker which files show the first page, in every language. The worker's bytes change with every version of the app, which is
 * how browsers notice a new one.
 */
export function shellFiles(firstPage: string, texts: RegExp): Plugin {
  return {
    name: 'shell-files',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const worker = bundle[WORKER];
      const page = bundle['index.html'];
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const entry = chunks.find(({ isEntry, facadeModuleId }) => isEntry && facadeModuleId?.endsWith('/index.html'));
      const first = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(firstPage));
      if (worker?.type !== 'chunk' || page?.type !== 'asset' || !entry || !first)
        throw new Error('The build has no service worker, no index.html, or no first page.');
      if (worker.imports.length > 0) throw new Error('The service worker must be a single file.');
      const catalogues = chunks.filter(({ facadeModuleId }) => facadeModuleId && texts.test(facadeModuleId));
      const names = [entry, first, ...catalogues].flatMap((chunk) => [...filesOf(bundle, chunk)]);
      const files = [...new Set([...names, findFont(bundle)])].map((name) => `/${name}`);
      const version = createHash('sha256').update(JSON.stringify(files)).update(page.source).update(worker.code);
      const shell = { version: version.digest('hex').slice(0, 16), entry: entry.fileName, files };
      worker.code = worker.code.replace('__SHELL__', () => JSON.stringify(shell));
    },
  };
}

/** A chunk, what it imports, and their styles. */
function filesOf(bundle: Rolldown.OutputBundle, chunk: Rolldown.OutputChunk, seen = new Set<string>()): Set<string> {
  if (seen.has(chunk.fileName)) return seen;
  seen.add(chunk.fileName);
  for (const name of chunk.viteMetadata?.importedCss ?? []) seen.add(name);
  for (const name of chunk.imports) {
    const imported = bundle[name];
    if (imported?.type === 'chunk') filesOf(bundle, imported, seen);
  }
  return seen;
}
