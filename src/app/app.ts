import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { findExposures } from '#auth/find-exposures.ts';
import type { Config } from '#config/config.ts';
import type { ReplicaId } from '#domain/ids.ts';
import { openBase } from './base.ts';
import { type Core, openCore } from './core.ts';
import { createGateway } from './gateway-server.ts';
import { listen } from './listen.ts';
import { openChats } from './open-chats.ts';
import type { Parts } from './parts.ts';
import { createServices } from './services.ts';
import { startBackground } from './start-background.ts';
import { createWebhook } from './webhook-server.ts';

export type App = {
  /** The ID of this process, as shown by `GET /healthz`. */
  readonly replica: ReplicaId;
  /** The address of the gateway; undefined when it is disabled. */
  readonly gatewayUrl: string | undefined;
  /** The address for the terminal: the gateway, or a separate one when the gateway is disabled or its port is in use. */
  readonly terminalUrl: string | undefined;
  /** Problems that did not prevent the start. */
  readonly notices: readonly string[];
  /** The address of the webhook channel; undefined when it is disabled. */
  readonly webhookUrl: string | undefined;
  /** Every route of the gateway, such as `GET /api/status`. */
  readonly routes: readonly string[];
  /** Shuts down in order. Unfinished turns continue in another replica, or at the next start. */
  close(): Promise<void>;
};

/** Builds and wires all parts. Only this folder knows how they fit together; `parts` adds to them. */
export async function wireApp(config: Config, log: Logger, parts: Parts): Promise<App> {
  await using undo = new AsyncDisposableStack(); // stops the parts already started when a later one fails
  const core = await openCore(await openBase(config, log, parts, undo));
  const chats = openChats(core);
  startBackground(core, chats.carrier);
  for (const warning of findExposures(config)) log.warn(warning);

  const { server: gateway, routes } = await createGateway(createServices(core, chats.admin));
  const webhook = config.webhook.enabled ? await createWebhook(core, config.webhook) : undefined;
  // Closed together, so that their grace periods run at the same time.
  undo.defer(async () => void (await Promise.all([gateway.close(), webhook?.close()])));

  const notices: string[] = [];
  const onTaken = parts.terminal ? (notice: string) => void notices.push(notice) : undefined;
  const gatewayUrl = await openGateway(core, gateway, onTaken);
  const terminalUrl = gatewayUrl ?? (parts.terminal ? await gateway.listen({ host: '127.0.0.1', port: 0 }) : undefined);
  const webhookUrl = webhook && (await listen(webhook, config.webhook, 'HTTP_PORT', onTaken));
  if (webhookUrl) log.info(`The webhook channel is at ${webhookUrl}`);

  const running = undo.move();
  const urls = { gatewayUrl, terminalUrl, webhookUrl };
  return { ...urls, replica: core.replica, notices, routes, close: () => running.disposeAsync() };
}

/** Opens the port of the gateway, if it is enabled, and logs how to sign in. */
async function openGateway(
  { config, auth, tokens, web, log }: Core,
  gateway: FastifyInstance,
  onTaken: ((notice: string) => void) | undefined,
): Promise<string | undefined> {
  if (!config.gateway.enabled) return undefined;
  const url = await listen(gateway, config.gateway, 'GATEWAY_PORT', onTaken);
  if (url === undefined) return undefined;
  web.url ??= url;
  const made = await auth.signIn.createCode(tokens.gateway);
  const link = made.outcome === 'known' ? `${url}/login?code=${made.code}` : 'run `reborn link`';
  // Only a generated token is logged, and only here: a token set by the operator never is.
  const token = config.gateway.authToken === undefined ? `; the token of this start: ${tokens.gateway}` : '';
  log.info(`The gateway is at ${url} (sign in once, within 15 minutes: ${link}${token})`);
  return url;
}
