import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createMcpAdmin } from '#agent/administration/mcp-admin.ts';
import { createModelAdmin } from '#agent/administration/model-admin.ts';
import { createModelCatalog } from '#agent/administration/model-catalog.ts';
import { createModelProviders } from '#agent/administration/model-providers.ts';
import { createModelSettings } from '#agent/administration/model-settings.ts';
import { createOperations } from '#agent/administration/operations.ts';
import { createToolAdmin } from '#agent/administration/tool-admin.ts';
import { createAgent } from '#agent/agent.ts';
import { createLinkFetcher } from '#agent/attachments/fetch-links.ts';
import { startDeletingUndelivered } from '#agent/background/delete-undelivered.ts';
import { startEndingRemovedUsers } from '#agent/background/end-removed-users.ts';
import { type IndexPace, startIndexingNotes } from '#agent/background/index-notes.ts';
import { type NotesPace, startEmbeddingNotes } from '#agent/background/waiting-notes.ts';
import { createConversations } from '#agent/conversations.ts';
import { startDenyingOverdueGates } from '#agent/gates/overdue-gates.ts';
import { quarantineTool } from '#agent/gates/policy-settings.ts';
import { startTracingTurns, type TracingPace } from '#agent/inspection/trace-turns.ts';
import { createJobs } from '#agent/jobs.ts';
import { createMissions } from '#agent/missions/missions.ts';
import { type SchedulerPace, startScheduler } from '#agent/missions/scheduler.ts';
import { createCallbackCarrier, createEventCarrier } from '#agent/outbox/carriers.ts';
import { type OutboxPace, startDelivering } from '#agent/outbox/deliver.ts';
import { createDeliveries, createNotifications } from '#agent/outbox/notifications.ts';
import { createPreferences } from '#agent/preferences.ts';
import { createThreads } from '#agent/threads.ts';
import { startGeneratingTitles, type TitlePace } from '#agent/titles/generate-titles.ts';
import { createRunner } from '#agent/turn/run-claimed-turn.ts';
import { createSafety } from '#agent/turn/safety.ts';
import { createTurnLog } from '#agent/turn/turn-log.ts';
import { createAuth } from '#auth/auth.ts';
import { findExposures } from '#auth/find-exposures.ts';
import { newToken, provisionOperatorToken } from '#auth/tokens/operator-token.ts';
import { renderNotice } from '#channels/gateway/notifications/notice-shape.ts';
import { type Config, type EnabledWebhook, readForeignVariable } from '#config/config.ts';
import { measurePools } from '#database/measured-pool.ts';
import { MIGRATIONS, migrateDatabase } from '#database/migrate.ts';
import { type OpenDatabase, openDatabase } from '#database/open-database.ts';
import { PreparingClient } from '#database/preparing-client.ts';
import { shareConnections } from '#database/share-connections.ts';
import { warnOfUnboundRole } from '#database/unbound-role.ts';
import type { Embedder } from '#domain/embedder.ts';
import { newId, type ReplicaId, type ThreadId } from '#domain/ids.ts';
import { judgeJoining, type ReplicaFacts } from '#domain/joining-replica.ts';
import { DEFAULT_RETENTION } from '#domain/retention.ts';
import { createEgress } from '#egress/egress.ts';
import type { EgressRequest } from '#egress/exchange.ts';
import type { Network } from '#egress/network.ts';
import { startEngine } from '#engine/engine.ts';
import type { TakeUse } from '#http/caller/rate-limit.ts';
import { createMemory } from '#memory/memory.ts';
import { createKeyLookup } from '#models/bound-keys.ts';
import { describeModelSettings } from '#models/describe-model-settings.ts';
import { findEmbeddingRoute } from '#models/embedding-route.ts';
import { createModels } from '#models/model-routes.ts';
import { findRecentlyRemoved } from '#store/accounts/users.ts';
import { recordAudit } from '#store/audit.ts';
import { isAway } from '#store/away.ts';
import { connectStore, isReachable } from '#store/connection.ts';
import { connectIdentities } from '#store/identity-connection.ts';
import { buildNoteIndexes } from '#store/notes/build-note-indexes.ts';
import { takeUse } from '#store/spending/rate-windows.ts';
import { findManyNotes } from '#store/system/notes.ts';
import { readComponentFiles } from '#store/tools/tools.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { createTraceSender } from '#telemetry/otlp-traces.ts';
import { createBrowserSignIn } from '#tools/auth/browser-sign-in.ts';
import { createCredentials } from '#tools/auth/credentials.ts';
import { createRefresh } from '#tools/auth/refresh.ts';
import { toolSignIn } from '#tools/auth/tool-sign-in.ts';
import { memoryTools } from '#tools/builtin/memory-tools.ts';
import { missionTools } from '#tools/builtin/mission-tools.ts';
import { createInstalledTools } from '#tools/component/installed-tools.ts';
import { createJails } from '#tools/component/jail/jails.ts';
import { createLocalServers } from '#tools/mcp/local/local-servers.ts';
import { CLIENT_OPTIONS } from '#tools/mcp/mcp-client.ts';
import { createMcpTools } from '#tools/mcp/mcp-tools.ts';
import { createRests } from '#tools/mcp/rests.ts';
import { createServerHeaders } from '#tools/mcp/server-headers.ts';
import { createServerTokens } from '#tools/mcp/server-tokens.ts';
import { builtinTools, createRegistry } from '#tools/registry.ts';
import { createKnownSecrets } from '#tools/secrets/known-secrets.ts';
import { openSecrets } from '#tools/secrets/open-secrets.ts';
import { warnOfLocalKey } from '#tools/secrets/provision-key.ts';
import { createSkills } from '#tools/skills/skills.ts';
import type { Tool, ToolContext } from '#tools/tool.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { createGateway } from './gateway-server.ts';
import { writeToolLine } from './log.ts';
import { callbackRules, createWebhook } from './webhook-server.ts';

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

/** What a composition may set besides the configuration. */
export type Parts = {
  /** An open database, which is closed with the app. Otherwise the configured one is opened. */
  readonly database?: OpenDatabase;
  /** Further tools besides the built-in ones. */
  readonly tools?: readonly Tool[];
  /** false: callers must not supply tools. */
  readonly externalTools?: boolean;
  /** Started for a terminal, which opens even when a port is in use or the gateway is disabled. */
  readonly terminal?: boolean;
  /** How many turns may run here at once; 0 for a command that only reads. */
  readonly turns?: number;
  /** How hosts are resolved and connected to. */
  readonly network?: Network;
  /** How often to look for overdue gates. */
  readonly overdueGatesEveryMs?: number;
  /** How often to look for undelivered responses that are not to be stored. */
  readonly undeliveredEveryMs?: number;
  /** How often to look for expired threads. */
  readonly purgeThreadsEveryMs?: number;
  /** The folder of the built browser app. */
  readonly webFolder?: string;
  /** How often to look for deliveries, and when to retry them. */
  readonly deliveries?: Partial<OutboxPace>;
  /** The retry schedule of embeddings. */
  readonly notes?: Partial<NotesPace>;
  /** How often traces are sent. */
  readonly traces?: Partial<TracingPace>;
  /** How often to look for due missions, and how many runs to start. */
  readonly missions?: Partial<SchedulerPace>;
  /** How often to look for threads that need a title. */
  readonly titles?: Partial<TitlePace>;
  /** When to index notes. */
  readonly noteIndexes?: Partial<IndexPace>;
};

const RUNNING_TURNS = 500;
/** An idle connection is closed, because it takes a place that another replica may need. */
const IDLE_CONNECTION_MS = 3000;

/** Builds and wires all parts. This is the only place that knows how they fit together; `parts` adds to them. */
export async function startApp(config: Config, log: Logger, parts: Parts = {}): Promise<App> {
  const onError = (error: unknown) => log.error({ err: error }, 'a background task failed');
  await using undo = new AsyncDisposableStack(); // stops the parts already started when a later one fails

  const database =
    parts.database ??
    (await openDatabase({ url: config.databaseUrl, home: config.home, log: (line) => log.info(line) }));
  undo.defer(() => database.close());
  await migrateDatabase(database.connection, MIGRATIONS);
  await warnOfUnboundRole(database.connection, log);
  const replica = newId<ReplicaId>();
  const application = `reborn ${replica}`;
  const connection = {
    ...database.connection,
    Client: PreparingClient,
    application_name: application,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
  };
  const metrics = createMetrics();
  undo.defer(() => metrics.stop());
  const shares = shareConnections(config.databaseConnections, { buildsIndexes: config.embeddingModel !== undefined });
  const db = connectStore({ ...connection, max: shares.store }, onError, measurePools(metrics.waitsOf('store')));
  undo.defer(() => db.destroy());
  const identities = connectIdentities(
    { ...connection, max: shares.identities },
    onError,
    measurePools(metrics.waitsOf('identities')),
  );
  undo.defer(() => identities.destroy());

  const limitUse: TakeUse = (key, limit) => takeUse(db, key, limit);
  const { secrets, key, summaries } = await openSecrets(db, config);
  const keyProblems = [warnOfLocalKey(key, database.kind), await secrets.findKeyProblem()];
  for (const problem of keyProblems) if (problem) log.warn(problem);
  const tokens = await provisionTokens(config);
  const egress = createEgress(parts.network);
  undo.defer(() => egress.close());
  const settings = createModelSettings(db);
  const configuredKey = createKeyLookup(config.model);
  const modelProviders = createModelProviders({ db, secrets, egress, configured: config.model, configuredKey });
  const { apiKeyFor } = modelProviders;
  const models = createModels({
    default: config.model,
    routes: settings.readRoutes,
    defaultRoute: settings.readDefaultRoute,
    apiKeyFor,
  });
  const embedder = await findEmbedder(config, log);
  const memory = createMemory(db, embedder);
  const environment = readForeignVariable;
  const providers = { secrets, environment, send: (request: EgressRequest) => egress.send(request) };
  const refresh = createRefresh(providers);
  undo.defer(async () => void (await refresh.settled()));
  const browserSignIn = createBrowserSignIn(providers);
  const jails = createJails({ onLog: (line) => log.warn(line) });
  undo.defer(() => jails.close());
  const installed = createInstalledTools(db, {
    jails,
    egress,
    credentials: createCredentials({ secrets, environment, refresh }),
    takeUse: limitUse,
    loadFiles: (hash) => readComponentFiles(db, hash),
    onSecretsUsed: (actor, tool, names) =>
      recordAudit(db, { actor, action: 'secret.use', subject: tool, detail: { names } }),
    onLeak: (userId, tool, secretName) => quarantineTool(db, { tool, userId, secretName }),
    onLog: (tool, line) => writeToolLine(log, tool, line),
  });
  const web = { url: config.publicUrl };
  const threadUrl = (id: ThreadId) => web.url && `${web.url}/threads/${id}`;
  const skills = createSkills(db, path.join(config.home, 'skills'), (message) => log.warn(message));
  const safety = createSafety({
    knownSecrets: createKnownSecrets(secrets, secretsOfService(config, tokens)),
    onActions: (where, actions) => log.warn({ ...where, actions }, 'a safety rule matched'),
  });
  const missions = createMissions(db);
  const fixed = [
    ...builtinTools(egress, skills),
    ...memoryTools(memory),
    ...missionTools(missions),
    ...(parts.tools ?? []),
  ];
  const serverTokens = createServerTokens({ ...providers, refresh });
  const local = config.mcpLocalServers
    ? createLocalServers({
        folder: path.join(config.home, 'mcp-servers'),
        path: environment('PATH'),
        version: packageJson.version,
        options: CLIENT_OPTIONS,
      })
    : undefined;
  undo.defer(async () => local?.close());
  const mcp = {
    egress,
    local,
    version: packageJson.version,
    headers: createServerHeaders(secrets),
    tokens: serverTokens,
    rests: createRests(),
    takeUse: limitUse,
    onSecretsUsed: ({ owner }: ToolContext, tool: string, names: readonly string[]) =>
      recordAudit(db, { actor: owner.userId, action: 'secret.use', subject: tool, detail: { names } }),
  };
  const mcpTools = createMcpTools(db, mcp, onError);
  undo.defer(() => mcpTools.close());
  const tools = createRegistry(fixed, installed, (owner) => mcpTools.toolsFor(owner), config.mcpToolsInPrompt);
  const facts = { model: describeModelSettings(config.model), isCommand: parts.terminal ?? false };
  const turnLog = createTurnLog(
    log.isLevelEnabled('debug') ? (line, message) => log.debug(line, message) : undefined,
    metrics.turns,
  );
  const engine = await startEngine({
    connection,
    createPool: measurePools(metrics.waitsOf('engine')),
    connections: shares.engine,
    replica,
    application,
    capacity: parts.turns ?? RUNNING_TURNS,
    facts,
    admit: (living) => admitTo(living, facts, log),
    runTurn: createRunner({
      db,
      models,
      tools,
      safety,
      summaries,
      skills,
      threadUrl,
      limits: config.spending,
      retries: config.model.retries,
      log: turnLog,
      isTraced: config.otelEndpoint !== undefined,
    }),
    onAccepted: (turn) => turnLog.accepted(turn),
    onTakenOver: metrics.takenOver,
    onError,
    isAway,
    retention: { ...DEFAULT_RETENTION, jobs: config.webhook.jobDays },
    purgeThreadsEveryMs: parts.purgeThreadsEveryMs,
  });
  undo.defer(() => engine.drain());
  const titles = config.titleModel.enabled
    ? startGeneratingTitles({
        db,
        engine,
        models,
        safety,
        model: config.titleModel.route,
        limits: config.spending,
        pace: parts.titles,
        onError,
      })
    : undefined;
  undo.defer(async () => titles?.stop());
  const agent = createAgent(db, engine, summaries, titles?.request);
  const isReady = async () => engine.isReady() && (await isReachable(db));
  const jobs = createJobs(db);
  const delivering = startDelivering({
    system: engine.system,
    followDue: engine.followDue,
    replica,
    carriers: {
      callback: createCallbackCarrier(egress, jobs, config.webhook.enabled ? callbackRules(config.webhook) : undefined),
      event: createEventCarrier({
        db,
        secrets,
        egress,
        render: (notice, at) => JSON.stringify(renderNotice(notice, at, threadUrl)),
      }),
    },
    pace: parts.deliveries,
    onAttempt: (delivery, result) => metrics.delivered(delivery, result),
    onDead: ({ id, kind, target }, error) => log.warn({ delivery: id, kind, target, error }, 'a delivery was given up'),
    onError,
  });
  undo.defer(() => delivering.stop());
  const scheduler = startScheduler({ db, engine, pace: parts.missions, onError });
  undo.defer(() => scheduler.stop());
  const builtinNames = new Set(fixed.map(({ definition }) => definition.name));
  const overdueGates = startDenyingOverdueGates(db, engine, parts.overdueGatesEveryMs);
  undo.defer(() => overdueGates.stop());
  const undelivered = startDeletingUndelivered(db, engine, parts.undeliveredEveryMs);
  undo.defer(() => undelivered.stop());
  if (embedder) {
    const onFailure = (error: Error) => log.warn({ err: error }, 'notes could not be embedded; retrying later');
    const notes = startEmbeddingNotes({ db, engine, embedder, pace: parts.notes, onFailure });
    undo.defer(() => notes.stop());
    const indexes = startIndexingNotes({
      findMany: (asked) => findManyNotes(engine.system, asked),
      model: embedder.model,
      build: (plan, signal) => buildNoteIndexes(database.connection, plan, signal),
      pace: parts.noteIndexes,
      onProblem: (problem) => log.warn(problem),
      onError,
    });
    undo.defer(() => indexes.stop());
  }

  if (config.otelEndpoint) {
    const service = { version: packageJson.version, replica: engine.replica };
    const send = createTraceSender(config.otelEndpoint, service);
    const onFailure = (error: unknown) => log.warn({ err: error }, 'traces could not be sent; retrying later');
    const tracing = startTracingTurns({ db, engine, send, onFailure, pace: parts.traces });
    undo.defer(() => tracing.stop());
  }

  for (const warning of findExposures(config)) log.warn(warning);
  const auth = await createAuth({
    identities,
    operatorTokens: Object.values(tokens),
    passingToken: config.gateway.authToken === undefined ? tokens.gateway : undefined,
    oidc: config.oidc,
    onError,
  });
  const removedUsers = startEndingRemovedUsers({
    db,
    engine,
    findRemoved: () => findRecentlyRemoved(identities),
    onRemoved: () => auth.forget(),
    onError,
  });
  undo.defer(() => removedUsers.stop());
  const { server: gateway, routes } = await createGateway({
    ...parts,
    missions,
    deliveries: createDeliveries(db),
    notifications: createNotifications(db, secrets),
    config,
    log,
    db,
    database,
    auth,
    takeUse: limitUse,
    engine,
    isReady,
    agent,
    jobs,
    tools,
    memory,
    skills,
    threadUrl,
    fetchLinks: createLinkFetcher(egress),
    threads: createThreads(db, engine),
    conversations: createConversations(db, engine),
    operations: createOperations(engine, metrics),
    toolAdmin: createToolAdmin({
      db,
      tools,
      secrets,
      builtinNames,
      signIn: browserSignIn,
      signInTo: (tool, holder) => toolSignIn(providers, tool, holder),
    }),
    mcpAdmin: createMcpAdmin({
      db,
      secrets,
      network: mcp,
      tokens: serverTokens,
      signIn: browserSignIn,
      takeUse: limitUse,
      onChange: () => mcpTools.forget(),
    }),
    modelAdmin: createModelAdmin({ settings, default: config.model, apiKeyFor }),
    modelProviders,
    modelCatalog: createModelCatalog({ settings, configured: config.model, apiKeyFor }),
    preferences: createPreferences(db, settings),
    metrics,
    modelNames: async () => Object.keys(await settings.readRoutes()),
    onError,
  });
  // Closed together, so that their grace periods run at the same time.
  const channels: { close(): PromiseLike<unknown> }[] = [gateway];
  undo.defer(async () => {
    await Promise.all(channels.map((channel) => channel.close()));
  });
  const notices: string[] = [];
  const onTaken = parts.terminal ? (notice: string) => void notices.push(notice) : undefined;
  const gatewayUrl = config.gateway.enabled
    ? await listen(gateway, config.gateway, 'GATEWAY_PORT', onTaken)
    : undefined;
  web.url ??= gatewayUrl;
  if (gatewayUrl) {
    const made = await auth.signIn.createCode(tokens.gateway);
    const link = made.outcome === 'known' ? `${gatewayUrl}/login?code=${made.code}` : 'run `reborn link`';
    // Only a generated token is logged, and only here: a token set by the operator never is.
    const token = config.gateway.authToken === undefined ? `; the token of this start: ${tokens.gateway}` : '';
    log.info(`The gateway is at ${gatewayUrl} (sign in once, within 15 minutes: ${link}${token})`);
  }
  const terminalUrl = gatewayUrl ?? (parts.terminal ? await gateway.listen({ host: '127.0.0.1', port: 0 }) : undefined);

  const webhookUrl = config.webhook.enabled ? await startWebhook(config.webhook) : undefined;
  if (webhookUrl) log.info(`The webhook channel is at ${webhookUrl}`);

  async function startWebhook(enabled: EnabledWebhook) {
    const shared = {
      trustedProxies: config.trustedProxies,
      log,
      db,
      isReady,
      secrets,
      takeUse: limitUse,
      agent,
      jobs,
      onAnswered: (status: number) => metrics.answered('webhook', status),
    };
    const webhook = await createWebhook({ ...shared, config: enabled });
    channels.push(webhook);
    return listen(webhook, enabled, 'HTTP_PORT', onTaken);
  }

  const running = undo.move();
  const urls = { gatewayUrl, terminalUrl, webhookUrl };
  return { ...urls, replica: engine.replica, notices, routes, close: () => running.disposeAsync() };
}

/** Throws, with instructions, when this process must not run turns beside the live replicas. */
function admitTo(living: readonly ReplicaFacts[], self: ReplicaFacts, log: Logger): void {
  const { refusal, warning } = judgeJoining(self, living);
  if (refusal) throw new Error(refusal);
  if (warning) log.warn(warning);
}

async function findEmbedder({ model, embeddingModel }: Config, log: Logger): Promise<Embedder | undefined> {
  if (!embeddingModel) return undefined;
  const route = findEmbeddingRoute(model, embeddingModel);
  if (!route)
    log.warn(
      `EMBEDDING_MODEL is set, but ${model.provider} has no embedding models, so memory is searched by words only. Set OPENAI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY.`,
    );
  return route && (await import('#models/create-embedder.ts')).createEmbedder(route);
}

/** The service's own credentials, which must never appear in what the agent reads or writes. */
function secretsOfService(config: Config, tokens: { operator: string; gateway: string }): Map<string, string> {
  const keys = Object.entries(config.model.apiKeys).map(([provider, key]) => [`${provider}_api_key`, key] as const);
  const webhook = config.webhook.enabled ? [['webhook_secret', config.webhook.secret] as const] : [];
  const all = [
    ...keys,
    ...webhook,
    ['operator_token', tokens.operator] as const,
    ['gateway_token', tokens.gateway] as const,
  ];
  return new Map(all.flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

/** Each of these authenticates the operator. */
async function provisionTokens(config: Config): Promise<{ operator: string; gateway: string }> {
  return {
    operator: config.operatorToken ?? (await provisionOperatorToken(config.home)),
    gateway: config.gateway.authToken ?? newToken(),
  };
}

/** Reports a port that is in use, with the option to change: to `onTaken`, or else by throwing. */
async function listen(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
  option: 'GATEWAY_PORT' | 'HTTP_PORT',
  onTaken?: (notice: string) => void,
): Promise<string | undefined> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const notice = `Port ${port} on ${host} is in use. Set ${option} to another port.`;
    if (!onTaken) throw new Error(notice, { cause: error });
    onTaken(notice);
    return undefined;
  }
}
