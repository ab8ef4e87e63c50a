import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A coding agent, as its maker publishes it. */
export type Program = {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** The format that it speaks, as the last part of the path. */
  readonly route: 'responses' | 'chat/completions';
  /** The settings of the operator that it needs. */
  readonly settings: Readonly<Record<string, string>>;
  /** Makes it read a file with its own tool. */
  readonly read: (file: string) => string;
  /** Writes its settings for a service, and returns how it is started with a prompt. */
  readonly configure: (folders: Folders, baseURL: string) => Promise<Command>;
};

/** `home`: where the program keeps its settings and data. `project`: where it works. */
export type Folders = { readonly home: string; readonly project: string };

export type Command = {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};

export const codex: Program = {
  name: 'Codex CLI',
  package: '@openai/codex',
  version: '0.169.0',
  route: 'responses',
  settings: { RESPONSES_TOOLS_MAX_BYTES: '65536', RESPONSES_UNKNOWN_TOOLS: 'ignore' },
  read: (file) => `use exec_command ${JSON.stringify({ cmd: `cat ${file}` })}`,
  async configure({ home }, baseURL) {
    const settings = `model = "any"
model_provider = "reborn"

[model_providers.reborn]
name = "Reborn"
base_url = "${baseURL}"
env_key = "REBORN_TOKEN"
wire_api = "responses"
`;
    await mkdir(path.join(home, 'codex'), { recursive: true });
    await writeFile(path.join(home, 'codex', 'config.toml'), settings);
    return {
      program: 'codex',
      arguments: ['exec', '--skip-git-repo-check', '--sandbox', 'danger-full-access'],
      env: { CODEX_HOME: path.join(home, 'codex') },
    };
  },
};

export const opencode: Program = {
  name: 'opencode',
  package: 'opencode-ai',
  version: '1.18.33',
  route: 'chat/completions',
  settings: {},
  read: (file) => `use bash ${JSON.stringify({ command: `cat ${file}`, description: 'Reads a file' })}`,
  async configure({ project }, baseURL) {
    const provider = {
      npm: '@ai-sdk/openai-compatible',
      name: 'Reborn',
      options: { baseURL, apiKey: '{env:REBORN_TOKEN}' },
      models: { any: { name: 'Reborn' } },
    };
    const settings = { autoupdate: false, share: 'disabled', model: 'reborn/any', provider: { reborn: provider } };
    await writeFile(path.join(project, 'opencode.json'), JSON.stringify(settings));
    return { program: 'opencode', arguments: ['run'], env: {} };
  },
};
