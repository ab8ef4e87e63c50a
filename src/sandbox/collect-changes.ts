import { hash } from 'node:crypto';
import { type Take, unexpected } from './conversation.ts';
import type { Changes, Limits, Refused, SandboxFile } from './sandbox.ts';

/** The runner sends every file that may have changed. We hash what came, and leave out what is as before. */
export function collectChanges(known: Map<string, string>, limits: Limits): Take<Changes> {
  const files = new Map<string, SandboxFile>();
  const removed = new Set<string>();
  const refused: Refused[] = [];
  let bytes = 0;
  let count = 0;

  function addFile(path: string, mode: number, body: Buffer): void {
    bytes += body.length;
    if (files.has(path) || ++count > limits.files || bytes > limits.workspaceBytes)
      throw new Error('More files came than can be.');
    files.set(path, { path, mode, bytes: body, sha256: hash('sha256', body) });
  }

  function finish(refusedCount: number): Changes {
    for (const path of removed) known.delete(path);
    const changed = [...files.values()].filter(({ path, mode, sha256 }) => {
      const isNew = known.get(path) !== traceOf(sha256, mode);
      known.set(path, traceOf(sha256, mode));
      return isNew;
    });
    return { files: changed, removed: [...removed], refused, refusedCount };
  }

  return (message) => {
    switch (message.type) {
      case 'file':
        addFile(message.path, message.mode, message.body);
        return undefined;
      case 'removed':
        if (!known.has(message.path)) throw new Error('A file is removed that was not there.');
        removed.add(message.path);
        return undefined;
      case 'refused':
        if (refused.length === 100) throw new Error('More names came than can be.');
        refused.push({ name: message.name, reason: message.reason });
        return undefined;
      case 'excess':
        return { files: [], removed: [], refused: [], refusedCount: 0, excess: message.of };
      case 'changed':
        return finish(message.refused);
      default:
        return unexpected(message);
    }
  };
}

/** What must be equal for a file to be as before. */
export function traceOf(sha256: string, mode: number): string {
  return `${sha256} ${(mode & 0o777).toString(8)}`;
}
