import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createAgent } from '#agent/agent.ts';
import { createModelSettings } from '#agent/model-settings.ts';
import { createRunner } from '#agent/run-claimed-turn.ts';
import { createAuthenticate } from '#auth/authenticate.ts';
import { newToken, provisionOperatorToken } from '#auth/operator-token.ts';
import { responsesRoutes } from '#channels/responses/routes.ts';
import { migrateDatabase } from '#database/migrate.ts';
import { openDatabase } from '#database/open-database.ts';
import { PreparingClient } from '#database/preparing-client.ts';
import { startEngine } from '#engine/engine.ts';
import { requireBearer } from '#http/bearer.ts';
import { healthRoutes } from '#http/health.ts';
import { createServer } from '#http/server.ts';
import { createModels } from '#models/model-routes.ts';
import { isAway } from '#store/away.ts';
import { connectStore, isReachable } from '#store/connection.ts';
import { builtinTools, createRegistry } from '#tools/registry.ts';
import type { Tool } from '#tools/tool.ts';
import type { Config } from './config.ts';

export type App = {
  /** Where the gateway listens; undefined when it is turned off. */
  readonly gatewayUrl: string | undefined;
  /** Stops in good order. What is unfinished goes on in another replica, or at the next start. */
  close(): Promise<void>;
};

const MIGRATIONS = path.join(import.meta.dirname, '../migrations');
const MAX_BODY_BYTES = 14 * 1024 * 1024;
const RUNNING_TURNS = 500;

/** Builds and wires everything. Nothing else in the tree knows how the parts fit together; `parts` adds to them. */
export async function startApp(config: Config, log: Logger, parts: { tools?: readonly Tool[] } = {}): Promise<App> {
  const onError = (error: unknown) => log.error({ err: error }, 'a background task failed');
  await using undo = new AsyncDisposableStack(); // what has been started is stopped again when a later part fails

  const database = await openDatabase({ url: config.databaseUrl, home: config.home, log: (line) => log.info(line) });
  undo.defer(() => database.close());
  await migrateDatabase(database.connection, MIGRATIONS);
  const connection = { ...database.connection, Client: PreparingClient };
  const db = connectStore(connection, onError);
  undo.defer(() => db.destroy());

  const settings = createModelSettings(db);
  const models = createModels({
    default: config.model,
    routes: () => settings.readRoutes(),
    apiKeyFor: (provider) => config.model.apiKeys[provider],
  });
  const tools = createRegistry([...builtinTools(), ...(parts.tools ?? [])]);
  const engine = await startEngine({
    connection,
    capacity: RUNNING_TURNS,
    runTurn: createRunner({ db, models, tools }),
    onError,
    isAway,
  });
  undo.defer(() => engine.drain());
  const agent = createAgent(db, engine);

  const gateway = createServer({ maxBodyBytes: MAX_BODY_BYTES, log });
  undo.defer(() => gateway.close());
  const tokens = await provisionTokens(config);
  const authenticate = createAuthenticate(Object.values(tokens));
  await gateway.register(healthRoutes(() => isReachable(db)));
  await gateway.register(async (app) => {
    requireBearer(app, authenticate);
    const routes = responsesRoutes(agent, {
      isTaken: (name) => tools.find(name) !== undefined,
      timeoutSeconds: config.responsesTimeoutSecs,
    });
    await app.register(routes, { prefix: '/api/v1' });
    await app.register(routes, { prefix: '/v1' });
  });
  const gatewayUrl = config.gateway.enabled ? await listen(gateway, config.gateway) : undefined;
  if (gatewayUrl) log.info(`The gateway is at ${gatewayUrl} (sign in: ${gatewayUrl}/login?token=${tokens.gateway})`);

  const running = undo.move();
  return { gatewayUrl, close: () => running.disposeAsync() };
}

/** Each of these means the operator. */
async function provisionTokens(config: Config): Promise<{ operator: string; gateway: string }> {
  return {
    operator: config.operatorToken ?? (await provisionOperatorToken(config.home)),
    gateway: config.gateway.authToken ?? newToken(),
  };
}

/** A taken port is told in words that say what to change. */
async function listen(app: FastifyInstance, { host, port }: Config['gateway']): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(`Port ${port} on ${host} is taken. Set GATEWAY_PORT to another port.`, { cause: error });
  }
}
