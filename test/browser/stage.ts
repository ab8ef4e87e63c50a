import type { Parts } from '#app/parts.ts';
import { findFreePort } from '../support/free-port.ts';
import { freshHome } from '../support/fresh-home.ts';
import { type Answer, type SeenPrompt, startScriptedModel } from '../support/scripted-model.ts';
import { spawnService, startService } from '../support/service.ts';

/** A service with a scripted model, for pages to be opened on. */
export async function startStage(
  env: Record<string, string> = {},
  parts: Parts = {},
  decide?: (prompt: SeenPrompt) => Answer,
) {
  const [home, model] = await Promise.all([freshHome({ shared: true }), startScriptedModel(decide && { decide })]);
  const scripted = { LLM_PROVIDER: 'openai-compatible', LLM_MODEL: 'scripted', LLM_BASE_URL: model.url };
  const settings = { ...home.env, ...scripted, ...env };
  const service = await startService(settings, parts);
  return {
    home,
    model,
    service,
    settings,
    url: service.url,
    close: async () => {
      await service.close();
      await model.close();
      await home.remove();
    },
  };
}

/** The same as a separate process that can be killed and started again at the same address. */
export async function startMortalStage() {
  const [home, model, port] = await Promise.all([freshHome({ shared: true }), startScriptedModel(), findFreePort()]);
  const settings = {
    ...home.env,
    LLM_PROVIDER: 'openai-compatible',
    LLM_MODEL: 'scripted',
    LLM_BASE_URL: model.url,
    GATEWAY_PORT: String(port),
  };
  let service = await spawnService(settings);
  return {
    url: service.url,
    kill: () => service.kill('SIGKILL'),
    start: async () => {
      service = await spawnService(settings);
    },
    close: async () => {
      await service.kill('SIGTERM');
      await model.close();
      await home.remove();
    },
  };
}
