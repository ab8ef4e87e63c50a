import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { installProject, runIn } from '../install.ts';
import type { Peer } from '../peer.ts';
import { spawnServer } from '../spawn-server.ts';

/** The server that `mastra build` makes, with an agent that keeps its messages in a LibSQL file. */
export function mastra(): Peer {
  let project = '';
  return {
    name: 'Mastra',
    storage: 'a LibSQL file',
    async install() {
      const { folder, version } = await installProject('mastra', build);
      project = folder;
      return `@mastra/core ${await version('@mastra/core')}, @mastra/libsql ${await version('@mastra/libsql')}`;
    },
    start({ modelUrl, folder, port }) {
      const { pid } = spawnServer([path.join(project, '.mastra/output/index.mjs')], {
        folder,
        env: { PORT: String(port), MODEL_URL: modelUrl, STORE_URL: `file:${folder}/mastra.db` },
      });
      return Promise.resolve({
        roots: () => Promise.resolve([pid]),
        request: ({ text, stream, conversation = randomUUID() }) => ({
          url: `http://127.0.0.1:${port}/api/agents/assistant/${stream ? 'stream' : 'generate'}`,
          body: { messages: [{ role: 'user', content: text }], memory: { thread: conversation, resource: 'person' } },
        }),
      });
    },
  };
}

const build = (folder: string): Promise<void> => runIn(folder, 'node_modules/.bin/mastra', ['build']);
