import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

export const newToken = () => randomBytes(32).toString('base64url');

/** Whether it could be one that was made here, and so is worth a look into the database. */
export const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** The operator's token of this home: made once, kept in `webui-token`, readable by nobody else. */
export async function provisionOperatorToken(home: string): Promise<string> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const file = path.join(home, 'webui-token');
  // Written aside and linked into place: of two processes that start together one wins, and nobody reads half a token.
  const draft = path.join(home, `.webui-token-${process.pid}-${randomBytes(4).toString('hex')}`);
  await writeFile(draft, `${newToken()}\n`, { mode: 0o600 });
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft);
  }
  return (await readFile(file, 'utf8')).trim();
}
