import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '#config/config.ts';
import { printJson, printLine } from '../print.ts';

type Job = { status: string; response?: string; error?: { code: string; message: string }; waiting_on?: string };

const LOOK_EVERY_MS = 250;

/** Sends one message to the running webhook channel, as an integrator would, and shows its job until it is completed. */
export async function testWebhook(
  message: string,
  options: { url?: string; user: string; json?: true },
): Promise<void> {
  const { webhook } = readConfig();
  if (!webhook.enabled)
    throw new Error(
      'The webhook channel is off. Set HTTP_WEBHOOK_SECRET (make one with `openssl rand -hex 32`), and start `reborn serve` with it.',
    );
  const url = options.url ?? `http://${isAnyAddress(webhook.host) ? '127.0.0.1' : webhook.host}:${webhook.port}`;
  const call = (path: string, init?: RequestInit) => callWebhook(url + path, webhook.secret, init);
  const say = options.json ? () => {} : printLine;

  const body = JSON.stringify({ user_id: options.user, message });
  const { job_id: id } = (await call('/webhook', { method: 'POST', body })) as { job_id: string };
  say(`job ${id}`);
  const job = await follow(() => call(`/jobs/${id}`) as Promise<Job>, say);
  if (options.json) printJson(job);
  if (job.error) throw new Error(`${job.error.code}: ${job.error.message}`);
  say(job.response ?? '');
}

async function follow(look: () => Promise<Job>, say: (line: string) => void): Promise<Job> {
  let told = '';
  for (;;) {
    const job = await look();
    const state = job.waiting_on ? `${job.status}, waiting on ${job.waiting_on}` : job.status;
    if (state !== told) say(state);
    told = state;
    if (job.status === 'completed') return job;
    await sleep(LOOK_EVERY_MS);
  }
}

async function callWebhook(url: string, secret: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'x-webhook-secret': secret };
  const response = await fetch(url, { ...init, headers }).catch((cause: unknown) => {
    throw new Error(`Nothing answers at ${url}. Is \`reborn serve\` running, with the same HTTP_PORT?`, { cause });
  });
  const answer = (await response.json()) as { error?: { message: string } };
  if (!response.ok) throw new Error(`The service answered ${response.status}: ${answer.error?.message}`);
  return answer;
}

const isAnyAddress = (host: string) => host === '0.0.0.0' || host === '::';
