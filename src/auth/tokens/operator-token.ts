import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Cell, carryCell, cellIn, ownCell } from '#domain/cell/cell.ts';

/** 256 random bits, and the cell. */
export const newToken = () => carryCell(randomBytes(32).toString('base64url'));

const LENGTH = 43;

/** Whether the text has the form of a generated token, so that a database lookup makes sense. */
export const isToken = (text: string): boolean => /^[\w-]{43}([\da-f]{3})?$/.test(text);

/** The cell that created the token, if it is not this one. */
export function otherCellOf(token: string): Cell | undefined {
  const cell = isToken(token) ? cellIn(token, LENGTH) : undefined;
  return cell === ownCell() || ownCell() === undefined ? undefined : cell;
}

/** The operator's token of this home folder: created once and stored in `webui-token`, readable only by its owner. */
export async function provisionOperatorToken(home: string): Promise<string> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const file = path.join(home, 'webui-token');
  // Written to a draft and linked: of two processes that start together one wins, and none reads a partial token.
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
