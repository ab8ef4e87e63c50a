import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createLog } from '#app/log.ts';
import type { Parts } from '#app/parts.ts';
import { startApp } from '#app/start-app.ts';
import { readConfig } from '#config/config.ts';
import { BARE_ENV } from './bare-env.ts';
import { compiledProgram } from './compiled-program.ts';
import { QUICK_TIMES } from './quick-times.ts';
import { waitFor } from './wait-for.ts';

export const TOKEN = 'operator-token-of-the-tests';

export type Service = Awaited<ReturnType<typeof startService>>;

const MOST_LOGGED = 200;

/** The service inside this process, on a free port, with an engine that waits less. */
export async function startService(env: Record<string, string>, parts: Parts = {}) {
  const logged: string[] = [];
  const write = (line: string) => void (logged.push(line) > MOST_LOGGED && logged.shift());
  const app = await startApp(readConfig({ ...SETTINGS, ...env }), createLog('warn', { write }), {
    engineTimes: QUICK_TIMES,
    ...parts,
  });
  const output = () => logged.join('');
  return {
    ...clientOf(app.gatewayUrl ?? '', output),
    output,
    webhook: webhookClientOf(app.webhookUrl ?? ''),
    routes: app.routes,
    close: () => app.close(),
  };
}

/** The service as a separate process, as a user starts it. */
export async function spawnService(env: Record<string, string>) {
  const [node, program] = await compiledProgram();
  const child = spawn(node, [program, 'serve'], {
    env: { ...BARE_ENV, ...SETTINGS, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
  const exited = once(child, 'exit');
  const url = await waitFor('the service to listen', async () => {
    if (child.exitCode !== null) throw new Error(`The service exited:\n${output}`);
    return /The gateway is at (\S+)/.exec(output)?.[1];
  });
  return {
    ...clientOf(url, () => output),
    pid: child.pid,
    output: () => output,
    kill: async (signal: NodeJS.Signals = 'SIGKILL') => {
      child.kill(signal);
      await exited;
    },
  };
}

/** What a service has logged as a warning or an error: the cause, when it answers 500 or 503. */
export const warningsOf = ({ output }: { readonly output: () => string }): string =>
  output()
    .split('\n')
    .filter((line) => /"level":[456]0/.test(line))
    .slice(-20)
    .join('\n');

/** Rate limits are high, except where a test is about them. */
export const SETTINGS = {
  GATEWAY_PORT: '0',
  SERVICE_REBORN_WEBUI_TOKEN: TOKEN,
  GATEWAY_AUTH_TOKEN: 'gateway-token-of-the-tests', // a random one could start like a word, which redaction would then hold back
  CLI_ENABLED: 'false',
  CHAT_RATE_PER_MINUTE: '1000000',
  SIGN_IN_RATE_PER_MINUTE: '1000000',
  HTTP_HOST: '127.0.0.1',
  HTTP_PORT: '0',
  WEBHOOK_RATE_PER_MINUTE: '1000000',
  TITLE_MODEL: 'off', // most tests count the calls of the model
};

/** Enables the webhook channel. */
export const WEBHOOK_SECRET = 'webhook-secret-of-the-tests';

export type WireResponse = {
  id: string;
  status: string;
  model: string;
  error: { code: string; message: string } | null;
  output: { id: string; type: string; call_id: string; name: string; content?: { text: string }[] }[];
  usage: { input_tokens: number; output_tokens: number; total_tokens: number; cost: unknown };
};

export function clientOf(url: string, output = () => '') {
  const request = (
    route: string,
    init: { method?: string; body?: string | Buffer<ArrayBuffer>; headers?: Record<string, string> } = {},
  ) =>
    fetch(url + route, {
      ...init,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...init.headers },
    });
  const post = (body: object) =>
    request('/api/v1/responses', { method: 'POST', body: JSON.stringify({ model: 'm', ...body }) });
  return {
    url,
    /** Makes commands use this service, as the operator. */
    remote: { REBORN_URL: url, REBORN_TOKEN: TOKEN },
    request,
    post,
    /** Sends a message and expects a response object of any status. */
    ask: async (input: unknown, more: object = {}): Promise<WireResponse> => {
      const response = await post({ input, ...more });
      if (response.status !== 200)
        throw new Error(`${response.status}: ${await response.text()}\n${warningsOf({ output })}`);
      return (await response.json()) as WireResponse;
    },
    get: async (id: string): Promise<WireResponse> =>
      (await request(`/api/v1/responses/${id}`)).json() as Promise<WireResponse>,
  };
}

export type WireJob = {
  id: string;
  status: string;
  response?: string;
  error?: { code: string; message: string };
  waiting_on?: string;
  conversation_id?: string;
  metadata?: object;
  created_at: string;
  completed_at?: string;
  callback?: { url: string; status: string; attempts: number; last_error?: string; next_attempt_at?: string };
};

export function webhookClientOf(url: string) {
  const request = (
    route: string,
    init: { method?: string; body?: string | Buffer<ArrayBuffer>; headers?: Record<string, string> } = {},
  ) => fetch(url + route, { ...init, headers: { 'x-webhook-secret': WEBHOOK_SECRET, ...init.headers } });
  const post = (body: object, headers: Record<string, string> = {}) =>
    request('/webhook', {
      method: 'POST',
      body: JSON.stringify({ user_id: 'ann', ...body }),
      headers: { 'content-type': 'application/json', ...headers },
    });
  const job = async (id: string): Promise<WireJob> => (await request(`/jobs/${id}`)).json() as Promise<WireJob>;
  return {
    url,
    request,
    post,
    job,
    /** Submits a message and expects it to be accepted. */
    submit: async (body: object, headers: Record<string, string> = {}): Promise<string> => {
      const response = await post(body, headers);
      if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
      return ((await response.json()) as { job_id: string }).job_id;
    },
    completed: (id: string): Promise<WireJob> =>
      waitFor(`job ${id} to complete`, async () => {
        const found = await job(id);
        return found.status === 'completed' ? found : undefined;
      }),
  };
}

export const textOf = (response: WireResponse) =>
  response.output.flatMap((item) => item.content?.map((part) => part.text) ?? []).join('');
