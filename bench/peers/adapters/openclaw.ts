import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { installProject } from '../install.ts';
import type { Peer, Setup } from '../peer.ts';
import { spawnServer } from '../spawn-server.ts';

const TOKEN = 'token-of-the-benchmark';

/** `openclaw gateway` with its `/v1/responses`. It keeps conversations in SQLite files. */
export function openclaw(): Peer {
  let project = '';
  return {
    name: 'OpenClaw',
    storage: 'SQLite files',
    async install() {
      const { folder, version } = await installProject('openclaw');
      project = folder;
      return `openclaw ${await version('openclaw')}`;
    },
    async start(setup) {
      const { folder, port } = setup;
      const config = path.join(folder, 'openclaw.json');
      await writeFile(config, JSON.stringify(configOf(setup)));
      const { pid } = spawnServer(
        [path.join(project, 'node_modules/openclaw/openclaw.mjs'), 'gateway', '--port', String(port)],
        { folder, env: { OPENCLAW_STATE_DIR: folder, OPENCLAW_CONFIG_PATH: config } },
      );
      return {
        roots: () => Promise.resolve([pid]),
        request: ({ text, stream, conversation }) => ({
          url: `http://127.0.0.1:${port}/v1/responses`,
          headers: { authorization: `Bearer ${TOKEN}` },
          body: { model: 'openclaw', input: text, stream, ...(conversation && { user: conversation }) },
        }),
      };
    },
  };
}

const configOf = ({ modelUrl, folder, port }: Setup) => ({
  gateway: {
    mode: 'local',
    port,
    bind: 'loopback',
    auth: { mode: 'token', token: TOKEN },
    http: { endpoints: { responses: { enabled: true } } },
  },
  logging: { file: path.join(folder, 'openclaw.log') },
  agents: { defaults: { model: { primary: 'scripted/scripted' } } },
  models: {
    mode: 'merge',
    providers: {
      scripted: { baseUrl: modelUrl, apiKey: 'none', api: 'openai-completions', models: [MODEL] },
    },
  },
});

const MODEL = {
  id: 'scripted',
  name: 'Scripted',
  reasoning: false,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 120_000,
  maxTokens: 8192,
};
