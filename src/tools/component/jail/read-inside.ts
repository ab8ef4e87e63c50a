import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageFile } from '#program-files.ts';

/** TypeScript texts; the jail's Node strips the types. */
export type InsideSources = { readonly child: string; readonly worker: string; readonly realm: string };

const FOLDER = packageFile('src/tools/component/jail/inside');

let sources: InsideSources | undefined;

/** The programs that run inside a jail, as text: they are handed in, so that a jail needs no file at all. */
export function readInside(): InsideSources {
  sources ??= { child: readModule('child.ts'), worker: readModule('worker.ts'), realm: readModule('realm.ts') };
  return sources;
}

/** The source text with the imports from its folder inlined. Type imports are dropped. */
export function readModule(name: string): string {
  const source = readFileSync(path.join(FOLDER, name), 'utf8');
  return source.replace(/^import \{[^}]*\} from '\.\/([a-z-]+\.ts)';$/gm, (_, imported: string) =>
    readModule(imported),
  );
}
