import path from 'node:path';
import { ROOT } from '../../../test/support/cached-folder.ts';
import { versionOf } from '../install.ts';
import type { Peer } from '../peer.ts';
import { spawnServer } from '../spawn-server.ts';

/** bench/hand-written.ts: the minimum that gives the same answer. It stores nothing. */
export function handWritten(): Peer {
  return {
    name: 'hand-written',
    storage: 'nothing',
    install: async () => `ai ${await versionOf(path.join(ROOT, 'node_modules/ai'))}`,
    start({ modelUrl, folder, port }) {
      const { pid } = spawnServer([path.join(ROOT, 'bench/hand-written.ts')], {
        folder,
        env: { MODEL_URL: modelUrl, PORT: String(port) },
      });
      return Promise.resolve({
        roots: () => Promise.resolve([pid]),
        request: ({ text, stream }) => ({ url: `http://127.0.0.1:${port}/`, body: { input: text, stream } }),
      });
    },
  };
}
