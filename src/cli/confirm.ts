import { toLines } from './print.ts';

/** Asks the person, unless they have said yes already. Without a terminal no one can be asked. */
export async function isConfirmed(question: string, { yes }: { readonly yes?: true }): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY) throw new Error('Nothing was done, because nobody can be asked. Add --yes to confirm.');
  const { confirm, isCancel } = await import('@clack/prompts'); // `serve` starts without it
  const answer = await confirm({ message: toLines(question), initialValue: false });
  return !isCancel(answer) && answer;
}
