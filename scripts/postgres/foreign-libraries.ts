import { execFileSync } from 'node:child_process';
import { glob } from 'node:fs/promises';
import path from 'node:path';

/** Parts of every system that the packages are for: glibc and the compiler's runtime, or macOS. */
const SYSTEM = /^(lib(c|m|dl|rt|pthread|gcc_s)\.so\.\d|ld-linux.*\.so\.\d|\/usr\/lib\/|\/System\/)/;

/** Libraries that programs below `native` load and that are neither there nor on every system. */
export async function findForeignLibraries(native: string, listNeeded = readNeeded): Promise<string[]> {
  const programs = await Array.fromAsync(glob('{bin/*,lib/**/*.{so,so.*,dylib}}', { cwd: native }));
  const ours = new Set(programs.map((file) => path.basename(file)));
  const needed = programs.flatMap((file) => listNeeded(path.join(native, file)));
  return [...new Set(needed)].filter((name) => !SYSTEM.test(name) && !ours.has(path.basename(name))).toSorted();
}

function readNeeded(file: string): string[] {
  const [program, words] = process.platform === 'darwin' ? ['otool', ['-L', file]] : ['readelf', ['-d', file]];
  return parseNeeded(execFileSync(program, words, { encoding: 'utf8' }));
}

/** Lines of `readelf -d`, or of `otool -L`, whose first line is the file itself. */
export function parseNeeded(listing: string): string[] {
  return [...listing.matchAll(/\(NEEDED\).*\[(.+)\]$|^\t(\S+) \(compat/gm)].map(([, elf, macho]) => elf ?? macho ?? '');
}
