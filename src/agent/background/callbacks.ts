import { signStandardWebhook } from '#domain/standard-webhooks.ts';
import { type Job, WEBHOOK } from '#domain/thread/job.ts';
import type { Egress } from '#egress/egress.ts';
import { repeat } from '#engine/repeat.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { type CallbackResult, recordCallback, takeDueCallbacks } from '#store/threads/jobs.ts';

export type CallbackOptions = {
  readonly db: Database;
  readonly egress: Egress;
  /** The body to send. */
  readonly render: (job: Job) => Promise<string>;
  /** Signs what is sent. */
  readonly secret: string;
  /** Whether a host may be called. Checked again before each call, because the list can change. */
  readonly isAllowed: (url: string) => boolean;
  readonly pace?: Partial<CallbackPace>;
  readonly onDead: (job: Job, error: string) => void;
  readonly onError: (error: unknown) => void;
};

export type CallbackPace = {
  /** The wait after each failed attempt. After the last one, the callback is given up. */
  readonly delaysSeconds: readonly number[];
  /** How long a receiver may take to answer. */
  readonly timeoutMs: number;
  readonly lookEveryMs: number;
};

/** Eleven attempts in just under a day. */
const PACE: CallbackPace = {
  delaysSeconds: [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 28_800],
  timeoutMs: 15_000,
  lookEveryMs: 1000,
};
const AT_ONCE = 20;
const LEASE_SECONDS = 60;

/**
 * Sends callbacks for completed jobs. A callback is due until a receiver has accepted it or it is given up. If the
 * replica crashes during the request, it is sent again: a receiver recognises repeats by the id, which is the job's.
 */
export function startCallbacks(options: CallbackOptions) {
  const look = async () => {
    while ((await deliverDue(options)) === AT_ONCE);
  };
  return repeat(options.pace?.lookEveryMs ?? PACE.lookEveryMs, look, options.onError);
}

async function deliverDue(options: CallbackOptions): Promise<number> {
  const due = await withOwner(options.db, WEBHOOK, (trx) => takeDueCallbacks(trx, AT_ONCE, LEASE_SECONDS));
  await Promise.all(
    due.map(async (job) => {
      const result = await deliver(job, options);
      await withOwner(options.db, WEBHOOK, (trx) => recordCallback(trx, job, result));
      if (result.status === 'dead') options.onDead(job, result.error);
    }),
  );
  return due.length;
}

async function deliver(job: Job, options: CallbackOptions): Promise<CallbackResult> {
  const { url = '', attempts = 0 } = job.callback ?? {};
  if (!options.isAllowed(url)) return { status: 'dead', error: 'The host is not in WEBHOOK_CALLBACK_HOSTS.' };

  const error = await post(url, job, options);
  if (error === undefined) return { status: 'delivered' };
  const wait = (options.pace?.delaysSeconds ?? PACE.delaysSeconds)[attempts - 1];
  if (wait === undefined || error === GONE) return { status: 'dead', error };
  return { status: 'pending', error, waitSeconds: wait * (0.9 + Math.random() * 0.2) };
}

/** What went wrong, if something did. */
async function post(
  url: string,
  job: Job,
  { egress, render, secret, pace }: CallbackOptions,
): Promise<string | undefined> {
  try {
    const body = await render(job);
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = {
      'content-type': 'application/json',
      'webhook-id': job.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signStandardWebhook({ id: job.id, timestamp, body, secret }),
    };
    const { status } = await egress.send({
      method: 'POST',
      url,
      namedPort: Number(URL.parse(url)?.port) || undefined, // `isAllowed` has compared it with the operator's list
      headers,
      body,
      timeoutMs: pace?.timeoutMs ?? PACE.timeoutMs,
      maxResponseBytes: 65_536,
    });
    if (status === 410) return GONE;
    return status >= 200 && status < 300 ? undefined : `The receiver answered ${status}.`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const GONE = 'The receiver answered 410: it wants no more.';
