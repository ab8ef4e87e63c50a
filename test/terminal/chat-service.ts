import { rm } from 'node:fs/promises';
import path from 'node:path';
import { announceService } from '#cli/connect/running-service.ts';
import type { Tool } from '#tools/tool.ts';
import { buildTool } from '../attacks/attack-components.ts';
import { startProxy } from '../faults/tcp-proxy.ts';
import { freshHome } from '../support/fresh-home.ts';
import { createHeldTool } from '../support/held-tool.ts';
import { type Answer, followScript, type SeenPrompt, startScriptedModel } from '../support/scripted-model.ts';
import { SETTINGS, startService, TOKEN } from '../support/service.ts';

type Options = {
  /** What the model says to a message; left out or undefined, it follows the script in the message. */
  readonly answer?: (message: string, isAfterTool: boolean) => Answer | undefined;
  readonly modelName?: string;
  readonly settings?: Record<string, string>;
};

/**
 * A service that every command finds by `env`, behind a line that can be cut. It has a tool of each kind: `weather` runs,
 * `erase` is asked about, and `step` runs until the test ends it.
 */
export async function startChatService({
  answer = () => undefined,
  modelName = 'scripted',
  settings = {},
}: Options = {}) {
  const decide = (prompt: SeenPrompt) => {
    const asked = prompt.messages.findLastIndex(({ role }) => role === 'user');
    const isAfterTool = prompt.messages.slice(asked).some(({ role }) => role === 'tool');
    return answer(prompt.messages[asked]?.text ?? '', isAfterTool) ?? followScript(prompt);
  };
  const [home, model] = await Promise.all([freshHome({ shared: true }), startScriptedModel({ decide })]);
  const erased: string[] = [];
  const step = createHeldTool();
  const scripted = { LLM_PROVIDER: 'openai-compatible', LLM_MODEL: modelName, LLM_BASE_URL: model.url };
  const service = await startService(
    { ...home.env, ...scripted, ...settings },
    { tools: [weather, eraser(erased), step.tool] },
  );
  const line = await startProxy({ host: '127.0.0.1', port: Number(new URL(service.url).port) });
  const url = `http://127.0.0.1:${line.port}`;
  const { replica } = (await (await service.request('/healthz')).json()) as { replica: string };
  await announceService(home.home, { url, replica });

  return {
    service,
    model,
    line,
    erased,
    step,
    home: home.home,
    query: home.query,
    env: { ...home.env, ...SETTINGS, ...scripted, CLI_ENABLED: 'true', SERVICE_REBORN_WEBUI_TOKEN: TOKEN },
    /** What a chat that was ended has kept of a message to a new thread. */
    forgetDraft: () => rm(path.join(home.home, 'draft.txt'), { force: true }),
    /** Every message that the model was asked to answer. */
    received: () => model.seen.map(({ messages }) => messages.findLast(({ role }) => role === 'user')?.text ?? ''),
    /** A tool that needs a secret before it runs, and then says what it was called with. */
    async installMail(name: string): Promise<void> {
      const auth = {
        secret_name: `${name}_token`,
        display_name: 'Mail token',
        instructions: 'Make one in the settings.',
      };
      const wasm = Buffer.from(await buildTool({ description: 'Sends mail.' })).toString('base64');
      const body = JSON.stringify({ name, wasm, capabilities: JSON.stringify({ auth }) });
      const response = await service.request('/api/tools', { method: 'POST', body });
      if (response.status !== 201) throw new Error(await response.text());
    },
    async close() {
      await line.close();
      await service.close();
      await model.close();
      await home.remove();
    },
  };
}

const parameters = { type: 'object' };

const weather: Tool = {
  definition: { name: 'weather', description: 'Tells the weather.', parameters, strict: null },
  repeatable: true,
  flow: { reads: {}, runs: 'always' },
  level: 'allow',
  call: async () => '{"city":"Oslo","sky":"clear","celsius":7,"wind":"light"}',
};

const eraser = (erased: string[]): Tool => ({
  definition: { name: 'erase', description: 'Deletes a file for good.', parameters, strict: null },
  repeatable: false,
  flow: { reads: {}, runs: 'clean' },
  level: 'ask',
  async call(json) {
    erased.push(json);
    return 'erased';
  },
});
