import { z } from 'zod';
import { jsonOf } from '#domain/text/json.ts';
import { AuthFailure } from './auth-failure.ts';
import type { Reach, TokenSource } from './authorization-server.ts';
import type { OAuthClient } from './oauth-client.ts';

/** The way out: the address comes from a tool's author, so it is not ours to trust. */
export type Send = (request: {
  readonly method: string;
  readonly url: string;
  readonly namedPort?: number | undefined;
  readonly privateOrigin?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
}) => Promise<{ readonly status: number; readonly body: Uint8Array }>;

export type Tokens = {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly expiresAt: Date | null;
};

const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Asks for tokens with a grant. The client's secret goes into the body, or into a header if the provider wants it so. */
export async function requestTokens(
  send: Send,
  { tokenUrl, client, resource, reach = portOf(tokenUrl) }: TokenSource,
  parameters: Readonly<Record<string, string>>,
): Promise<Tokens> {
  const grant = { ...parameters, ...(resource !== undefined && { resource }) };
  const inBody = { ...grant, client_id: client.id, ...(client.secret && { client_secret: client.secret }) };
  let sentAt = Date.now(); // a token's life starts before its answer arrives
  const first = await post(send, { url: tokenUrl, ...reach }, inBody, {});
  const wantsHeader = client.secret !== undefined && (first.status === 401 || first.answer.error === 'invalid_client');
  if (wantsHeader) sentAt = Date.now();
  const { status, answer } = wantsHeader
    ? await post(send, { url: tokenUrl, ...reach }, grant, basicAuth(client))
    : first;

  if (answer.error !== undefined) throw refused(answer, Object.values(inBody));
  if (status !== 200 || answer.access_token === undefined)
    throw new AuthFailure(`The provider answered ${status} and gave no token. Try again later.`);
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token,
    expiresAt: answer.expires_in === undefined ? null : new Date(sentAt + answer.expires_in * 1000),
  };
}

/** The address is the capabilities file's, so its port is allowed. */
const portOf = (url: string): Reach => ({ namedPort: Number(URL.parse(url)?.port) || undefined });

/** Providers are lenient with types, and some answer 200 with an error; what is not understood counts as absent. */
const answerSchema = z.object({
  access_token: z.string().min(1).optional().catch(undefined),
  refresh_token: z.string().min(1).optional().catch(undefined),
  expires_in: z.coerce.number().positive().max(1e9).optional().catch(undefined),
  error: z.string().min(1).optional().catch(undefined),
  error_description: z.string().optional().catch(undefined),
});
type Answer = z.infer<typeof answerSchema>;

async function post(
  send: Send,
  to: Reach & { readonly url: string },
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly answer: Answer }> {
  const { status, body } = await send({
    method: 'POST',
    ...to,
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: MAX_RESPONSE_BYTES,
  });
  return { status, answer: answerSchema.safeParse(parseJson(body)).data ?? {} };
}

export const parseJson = (body: Uint8Array): unknown => jsonOf(Buffer.from(body).toString('utf8'));

function basicAuth({ id, secret = '' }: OAuthClient): Readonly<Record<string, string>> {
  const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
  return { authorization: `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}` };
}

/** The provider's words, without anything we sent: it might echo a code or a token. */
function refused({ error = '', error_description }: Answer, sent: readonly string[]): AuthFailure {
  const hide = (text: string) => sent.reduce((shown, value) => shown.replaceAll(value, '***'), text).slice(0, 300);
  const words = error_description ? `${hide(error)}: ${hide(error_description)}` : hide(error);
  return new AuthFailure(`The provider refused (${words}).`, { code: hide(error) });
}
