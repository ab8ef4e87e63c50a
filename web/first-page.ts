import path from 'node:path';
import { normalizePath, type Rolldown } from 'vite';

const at = (file: string) => normalizePath(path.join(import.meta.dirname, file));
const FRAME = at('src/app/entrance.tsx');
const CHAT = at('src/chat/chat-page.tsx');

/**
 * Puts what surrounds every page into one file, and what a chat adds to it into another. The bundler would make sixty of them, most
 * smaller than a kilobyte, and a slow machine takes several milliseconds to begin with each. What the page of a shared thread
 * needs as well stays apart, because that page has no frame.
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
  const name = (file: string | null, ...roots: readonly string[]) => {
    for (const id of reach(roots, graph)) if (!names.has(id)) names.set(id, file);
  };
  name(null, at('index.html'), at('shared.html'));
  name('frame', FRAME);
  name('chat', CHAT);
  return names;
}

function reach(roots: readonly string[], graph: Rolldown.ChunkingContext): Set<string> {
  const reached = new Set(roots);
  for (const id of reached) for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) reached.add(imported);
  return reached;
}
