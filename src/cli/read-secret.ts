import { text } from 'node:stream/consumers';
import { isCancel, password } from '@clack/prompts';

/** A secret typed without being shown, or read from a pipe. It is never an argument: those can be seen by others. */
export async function readSecret(prompt: string): Promise<string> {
  const given = process.stdin.isTTY ? await password({ message: prompt }) : (await text(process.stdin)).trim();
  if (isCancel(given)) throw new Error('Stopped; nothing was changed.');
  if (!given) throw new Error('No secret was given. Type it, or pipe it in.');
  return given;
}
