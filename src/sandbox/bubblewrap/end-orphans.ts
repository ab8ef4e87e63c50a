import { readdirSync, readFileSync } from 'node:fs';
import { inside } from './start.ts';

/**
 * Ends what earlier services left here. bubblewrap's child dies with its parent, but not in the first moment: killed together with the
 * service just then, bubblewrap leaves a child that waits for it forever, before it has run anything.
 */
export function endOrphans(): void {
  for (const name of readdirSync('/proc')) if (/^\d+$/.test(name) && isOrphan(name)) end(Number(name));
}

/** The first process of a sandbox of ours, which is still bubblewrap, while its parent is not. */
function isOrphan(pid: string): boolean {
  const status = read(pid, 'status');
  if (nameIn(status) !== 'bwrap' || !/^NSpid:.*\s1$/m.test(status)) return false;
  const parent = /^PPid:\s+(\d+)$/m.exec(status)?.[1] ?? '';
  return nameIn(read(parent, 'status')) !== 'bwrap' && read(pid, 'cmdline').includes(inside('runner.py'));
}

const nameIn = (status: string): string | undefined => /^Name:\s+(.+)$/m.exec(status)?.[1];

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // it has ended
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error; // it has ended, or another user's service left it
  }
}
