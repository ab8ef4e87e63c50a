import { existsSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { installPackage } from '../../../test/package/installed.ts';
import { ROOT } from '../../../test/support/cached-folder.ts';
import { SETTINGS, TOKEN } from '../../../test/support/service.ts';
import { versionOf } from '../install.ts';
import type { Peer } from '../peer.ts';
import { spawnServer } from '../spawn-server.ts';

const HEADERS = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

/** The packed program, as npm installs it, with its embedded PostgreSQL. */
export function reborn(): Peer {
  let installed = '';
  return {
    name: 'Reborn',
    storage: 'an embedded PostgreSQL',
    async install() {
      const installation = await installPackage();
      process.once('exit', () => rmSync(installation.folder, { recursive: true }));
      installed = installation.installed;
      return `reborn-agent ${await versionOf(ROOT)}`;
    },
    start({ modelUrl, folder, port }) {
      const { pid } = spawnServer([path.join(installed, 'bin/reborn.js'), 'serve'], {
        folder,
        env: {
          ...SETTINGS,
          REBORN_HOME: folder,
          GATEWAY_PORT: String(port),
          LLM_PROVIDER: 'openai-compatible',
          LLM_MODEL: 'scripted',
          LLM_BASE_URL: modelUrl,
        },
      });
      const url = `http://127.0.0.1:${port}/api/v1`;
      return Promise.resolve({
        roots: async () => [pid, ...(await findPostmaster(folder))],
        request: ({ text, stream, conversation }) => ({
          url: `${url}/responses`,
          headers: HEADERS,
          body: { model: 'scripted', input: text, stream, ...(conversation && { conversation }) },
        }),
        async createConversation() {
          const response = await fetch(`${url}/conversations`, { method: 'POST', headers: HEADERS, body: '{}' });
          return ((await response.json()) as { id: string }).id;
        },
      });
    },
  };
}

/** It starts after the program. */
async function findPostmaster(home: string): Promise<number[]> {
  const file = path.join(home, 'postgres-18/postmaster.pid');
  return existsSync(file) ? [Number.parseInt(await readFile(file, 'utf8'), 10)] : [];
}
