import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { SentRequest } from '#agent/chats/chat-port.ts';
import { equalsSecret, hashSecret } from '#domain/secret-hash.ts';

/** What an operator enters, as JSON. */
const credentials = z.object({
  token: z.string(),
  signingSecret: z.string().optional(),
  appToken: z.string().optional(),
});
export type SlackCredentials = z.infer<typeof credentials>;

export const parseCredentials = (given: string): SlackCredentials => credentials.parse(JSON.parse(given));

const TOLERANCE_SECONDS = 5 * 60;

/** Whether Slack has signed a request, a short time ago. Requests that are repeated within that time are known by their ids. */
export function isSigned({ headers, body }: SentRequest, secret: string | undefined, now = Date.now()): boolean {
  const { time, signature } = signatureIn(headers);
  if (!secret || !isSignable(headers, now)) return false;
  const expected = createHmac('sha256', secret).update(`v0:${time}:`).update(body).digest('hex');
  return equalsSecret(signature, hashSecret(`v0=${expected}`));
}

/** Whether a request claims a signature of a short time ago, which is all that its headers show. */
export function isSignable(headers: SentRequest['headers'], now = Date.now()): boolean {
  const { time, signature } = signatureIn(headers);
  const isFresh = /^\d{1,12}$/.test(time) && Math.abs(now / 1000 - Number(time)) <= TOLERANCE_SECONDS;
  return isFresh && signature !== '';
}

function signatureIn(headers: SentRequest['headers']): { readonly time: string; readonly signature: string } {
  const [time = '', signature = ''] = [headers['x-slack-request-timestamp'], headers['x-slack-signature']].flat();
  return { time, signature };
}
