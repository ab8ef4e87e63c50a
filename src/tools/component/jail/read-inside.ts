import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { packageFile } from '#program-files.ts';

/** JavaScript texts. */
export type InsideSources = { readonly child: string; readonly worker: string; readonly realm: string };

const FOLDER = packageFile('src/tools/component/jail/inside');

let sources: InsideSources | undefined;

/** The programs that run inside a jail, as text: they are handed in, so that a jail needs no file at all. */
export function readInside(): InsideSources {
  sources ??= { child: readScript('child'), worker: readScript('worker'), realm: readScript('realm') };
  return sources;
}

/** The package has scripts. In a checkout, types are stripped here and not by each jail, whose start would take twice as long. */
function readScript(name: string): string {
  if (path.extname(import.meta.filename) === '.js') return readFileSync(path.join(FOLDER, `${name}.js`), 'utf8');
  return stripTypeScriptTypes(readModule(`${name}.ts`));
}

/** The source text with the imports from its folder inlined. Type imports are dropped. */
export function readModule(name: string): string {
  const source = readFileSync(path.join(FOLDER, name), 'utf8');
  return source.replace(/^import \{[^}]*\} from '\.\/([a-z-]+\.ts)';$/gm, (_, imported: string) =>
    readModule(imported),
  );
}
