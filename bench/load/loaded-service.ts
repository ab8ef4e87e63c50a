import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { freshHome } from '../../test/support/fresh-home.ts';
import { clientOf, SETTINGS, WEBHOOK_SECRET, webhookClientOf } from '../../test/support/service.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { Target } from './traffic.ts';

export type LoadedService = {
  readonly url: string;
  readonly pid: number;
  readonly target: Target;
  readonly home: Awaited<ReturnType<typeof freshHome>>;
  close(): Promise<void>;
};

/** A service in a separate process, with the steady model in another. */
export async function startLoadedService(): Promise<LoadedService> {
  const home = await freshHome();
  const model = spawn(process.execPath, [path.join(import.meta.dirname, 'steady-model.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [modelUrl] = (await once(model.stdout, 'data')) as [Buffer];
  const child = spawn(path.resolve('bin/reborn'), ['serve'], {
    env: {
      PATH: process.env['PATH'],
      ...SETTINGS,
      ...home.env,
      HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET,
      LLM_PROVIDER: 'openai-compatible',
      LLM_MODEL: 'steady',
      LLM_BASE_URL: modelUrl.toString().trim(),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (data) => (output += String(data)));
  const [url = '', webhookUrl = ''] = await waitFor(
    'the service to listen',
    async () => /The gateway is at (\S+)[^]*?webhook channel is at ([^\s"]+)/.exec(output)?.slice(1),
    120_000,
  );
  return {
    url,
    pid: child.pid ?? 0,
    target: { ...clientOf(url), webhook: webhookClientOf(webhookUrl) },
    home,
    async close() {
      child.kill('SIGTERM');
      model.kill();
      await once(child, 'exit');
      await home.remove();
    },
  };
}
