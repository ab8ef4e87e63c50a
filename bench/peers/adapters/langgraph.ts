import { randomUUID } from 'node:crypto';
import { cp, symlink } from 'node:fs/promises';
import path from 'node:path';
import { installProject } from '../install.ts';
import type { Peer } from '../peer.ts';
import { spawnServer } from '../spawn-server.ts';

/** `langgraphjs dev` with a graph of one model call. Its store is in memory, with a copy in files next to the graph. */
export function langgraph(): Peer {
  let project = '';
  return {
    name: 'LangGraph',
    storage: 'memory, written to files every 3 seconds',
    async install() {
      const { folder, version } = await installProject('langgraph');
      project = folder;
      const [api, library] = [await version('@langchain/langgraph-api'), await version('@langchain/langgraph')];
      return `@langchain/langgraph-api ${api}, @langchain/langgraph ${library}`;
    },
    async start({ modelUrl, folder, port }) {
      await placeGraph(project, folder);
      const program = path.join(folder, 'node_modules/.bin/langgraphjs');
      const options = ['--no-browser', '--no-reload', '--host', '127.0.0.1', '--port', String(port)];
      const { pid } = spawnServer([program, 'dev', ...options], { folder, env: { MODEL_URL: modelUrl } });
      return {
        roots: () => Promise.resolve([pid]),
        request: ({ text, stream, conversation = randomUUID() }) => ({
          url: `http://127.0.0.1:${port}/threads/${conversation}/runs/${stream ? 'stream' : 'wait'}`,
          body: {
            assistant_id: 'agent',
            input: { messages: [{ role: 'user', content: text }] },
            if_not_exists: 'create',
            ...(stream && { stream_mode: 'messages-tuple' }),
          },
        }),
      };
    },
  };
}

async function placeGraph(project: string, folder: string): Promise<void> {
  for (const file of ['package.json', 'langgraph.json', 'graph.js'])
    await cp(path.join(project, file), path.join(folder, file));
  await symlink(path.join(project, 'node_modules'), path.join(folder, 'node_modules')).catch(ignoreExisting);
}

function ignoreExisting(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}
