import { expect, test } from 'vitest';
import type { Turn } from '#domain/thread/turn.ts';
import type { WorkspaceFile } from '#domain/workspace/version.ts';
import { stageFiles } from './staging.ts';
import type { StoredFiles } from './stored-files.ts';

const turn = { threadId: 't', userId: 'ann', request: {} } as unknown as Turn;
const opened = { id: 't', version: 3, isForeign: false, files: new Map() };
const file = { path: 'a.txt' } as WorkspaceFile;

/** Stored files whose first reads fail with this error. */
function failing(error: Error) {
  const failed = new Set<string>();
  const onceFailed = async <T>(what: string, value: T) => {
    if (failed.has(what)) return value;
    failed.add(what);
    throw error;
  };
  const stored = {
    readOf: () => onceFailed('open', opened),
    bytesOf: () => onceFailed('read', [Buffer.from('text')]),
  };
  return stageFiles(stored as unknown as StoredFiles, turn, new AbortController().signal).port;
}

test('a call reads its files again when the database was restarted meanwhile', async () => {
  const port = failing(Object.assign(new Error('terminating connection'), { code: '57P02' }));

  expect(await port.open()).toBe(opened);
  expect(String(await port.read(file))).toBe('text');
});

test('any other error ends the call', async () => {
  const port = failing(new Error('a mistake'));

  await expect(port.open()).rejects.toThrow('a mistake');
  await expect(port.read(file)).rejects.toThrow('a mistake');
});
