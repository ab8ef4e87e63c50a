import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@reborn-agent/client';
import type { Job } from '@reborn-agent/client/api';
import { readConfig } from '#config/config.ts';
import { printJson, printLine } from '../print.ts';

const LOOK_EVERY_MS = 250;

/** Sends one message to the running webhook channel, as an integrator would, and shows its job until it is completed. */
export async function testWebhook(
  message: string,
  options: { url?: string; user: string; json?: true },
): Promise<void> {
  const { webhook } = readConfig();
  if (!webhook.enabled)
    throw new Error(
      'HTTP_WEBHOOK_SECRET is not set here, or HTTP_ENABLED is false. Set the secret that the service has. If it has none, make one with `openssl rand -hex 32`, and start `reborn serve` with it.',
    );
  const url = options.url ?? `http://${isAnyAddress(webhook.host) ? '127.0.0.1' : webhook.host}:${webhook.port}`;
  const missing = `Nothing answers at ${url}. Is \`reborn serve\` running, with the same HTTP_PORT?`;
  const client = createClient({ url, headers: { 'x-webhook-secret': webhook.secret } }, { messages: { 0: missing } });
  const say = options.json ? () => {} : printLine;

  const { job_id: id } = await client.call('POST /webhook', { body: { user_id: options.user, message } });
  say(`job ${id}`);
  const job = await follow(() => client.call('GET /jobs/{job_id}', { params: { job_id: id } }), say);
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

const isAnyAddress = (host: string) => host === '0.0.0.0' || host === '::';
