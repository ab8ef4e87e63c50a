import path from 'node:path';
import { normalizePath, type Rolldown } from 'vite';

const at = (file: string) => normalizePath(path.join(import.meta.dirname, file));
const FRAME = at('src/app/entrance.tsx');
const CHAT = at('src/chat/chat-page.tsx');

/**
 * Puts what surrounds every page into one file, and what a chat adds to it into another. The bundler would make many more, most
 * smaller than a kilobyte, and a slow machine takes several milliseconds to begin with each. What pages without an origin may load
 * stays apart: these files import the start of the app, which would run on those pages too, and fail there.
 */
export function nameFirstPage(): Rolldown.CodeSplittingNameFunction {
  let names: Map<string, string | null> | undefined;
  return (id, graph) => {
    names ??= nameFiles(graph);
    return names.get(id);
  };
}

function nameFiles(graph: Rolldown.ChunkingContext): Map<string, string | null> {
  const names = new Map<string, string | null>([FRAME, CHAT].map((root) => [root, null])); // asked for by themselves
  const name = (file: string | null, ids: Iterable<string>) => {
    for (const id of ids) if (!names.has(id)) names.set(id, file);
  };
  const importsOf = (id: string) => graph.getModuleInfo(id)?.importedIds ?? [];
  const loadsOf = (id: string) => [...importsOf(id), ...(graph.getModuleInfo(id)?.dynamicallyImportedIds ?? [])];
  name(null, reach(at('index.html'), importsOf));
  for (const page of ['shared.html', 'frames/diagram.html']) name(null, reach(at(page), loadsOf));
  name('frame', reach(FRAME, importsOf));
  name('chat', reach(CHAT, importsOf));
  return names;
}

function reach(root: string, next: (id: string) => readonly string[]): Set<string> {
  const reached = new Set([root]);
  for (const id of reached) for (const other of next(id)) reached.add(other);
  return reached;
}
