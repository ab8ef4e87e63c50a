import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readForeignVariable } from '#config/config.ts';

/** Lets the person's editor change a text, in a file that only they can read. `what` it is: a note, for example. */
export async function editText(before: string, what: string): Promise<string> {
  const editor = readForeignVariable('VISUAL') || readForeignVariable('EDITOR') || 'vi';
  const folder = await mkdtemp(path.join(tmpdir(), `reborn-${what}-`));
  try {
    const file = path.join(folder, `${what}.md`);
    await writeFile(file, before, { mode: 0o600 });
    // The variable may hold options, so a shell splits it, as git does.
    const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`The editor (${editor}) failed, so the ${what} stays as it was.`);
    return await readFile(file, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
