import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { glob } from 'node:fs/promises';
import { provideSdk } from './link-sdk.ts';

/** Runs the tests below `src` in plain Node, and returns whether they passed. */
export async function testTool(folder: string, stdio: 'inherit' | 'ignore' = 'inherit'): Promise<boolean> {
  const files = await Array.fromAsync(glob('src/**/*.test.ts', { cwd: folder }));
  if (files.length === 0) throw new Error(`${folder} has no tests. Write the first one to src/tool.test.ts.`);
  await provideSdk(folder);

  const tests = spawn(process.execPath, ['--test', ...files], { cwd: folder, stdio });
  const [status] = (await once(tests, 'exit')) as [number | null];
  return status === 0;
}
