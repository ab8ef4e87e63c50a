import path from 'node:path';
import type { Logger } from 'pino';
import { createModelAdmin } from '#agent/administration/model-admin.ts';
import { createModelCatalog } from '#agent/administration/model-catalog.ts';
import { createModelProviders } from '#agent/administration/model-providers.ts';
import { createModelSettings } from '#agent/administration/model-settings.ts';
import { createOperations } from '#agent/administration/operations.ts';
import { createAgent } from '#agent/agent.ts';
import { createAttachments } from '#agent/attachments/attachments.ts';
import { createLinkFetcher } from '#agent/attachments/fetch-links.ts';
import { startEndingRemovedUsers } from '#agent/background/end-removed-users.ts';
import { startReleasingUsers } from '#agent/background/release-users.ts';
import { createJobs } from '#agent/jobs.ts';
import { createMissions } from '#agent/missions/missions.ts';
import { createDeliveries, createNotifications } from '#agent/outbox/notifications.ts';
import { createDevices } from '#agent/outbox/push/devices.ts';
import { createVapid } from '#agent/outbox/push/vapid.ts';
import { createPreferences } from '#agent/preferences.ts';
import { createEmbeddings } from '#agent/spending/embeddings.ts';
import { createConversations } from '#agent/threads/conversations.ts';
import { startGeneratingTitles } from '#agent/threads/generate-titles.ts';
import { createThreads } from '#agent/threads/threads.ts';
import { createVersions } from '#agent/threads/versions.ts';
import { createRunner } from '#agent/turn/run-claimed-turn.ts';
import { createSafety } from '#agent/turn/safety.ts';
import { createTurnLog } from '#agent/turn/turn-log.ts';
import { createAuth } from '#auth/auth.ts';
import { findExposures } from '#auth/find-exposures.ts';
import { newToken, provisionOperatorToken } from '#auth/tokens/operator-token.ts';
import { describeCell } from '#cells/claim-cell.ts';
import type { Config, EnabledWebhook } from '#config/config.ts';
import { measurePools } from '#database/measured-pool.ts';
import type { Embedder } from '#domain/embedder.ts';
import type { ReplicaId, ThreadId } from '#domain/ids.ts';
import { judgeJoining, type ReplicaFacts } from '#domain/joining-replica.ts';
import { isSearchedKey } from '#domain/model-key.ts';
import type { Principal } from '#domain/principal.ts';
import { DEFAULT_RETENTION } from '#domain/retention.ts';
import { createEgress } from '#egress/egress.ts';
import { startEngine } from '#engine/engine.ts';
import { createOpenAnswers } from '#http/caller/open-answers.ts';
import type { TakeUse } from '#http/caller/rate-limit.ts';
import { startLifecycle } from '#lifecycle/lifecycle.ts';
import { createMemory } from '#memory/memory.ts';
import { createKeyLookup } from '#models/bound-keys.ts';
import { describeModelSettings } from '#models/describe-model-settings.ts';
import { findEmbeddingRoute } from '#models/embedding-route.ts';
import { createModels } from '#models/model-routes.ts';
import { findLeaving } from '#store/accounts/moves.ts';
import { findRecentlyRemoved, findUser } from '#store/accounts/users.ts';
import { isAway } from '#store/away.ts';
import { isReachable } from '#store/connection.ts';
import { takeUse } from '#store/spending/rate-windows.ts';
import { memoryTools } from '#tools/builtin/memory-tools.ts';
import { missionTools } from '#tools/builtin/mission-tools.ts';
import { builtinTools } from '#tools/registry.ts';
import { createKnownSecrets } from '#tools/secrets/known-secrets.ts';
import { openSecrets } from '#tools/secrets/open-secrets.ts';
import { warnOfLocalKey } from '#tools/secrets/provision-key.ts';
import { createSkills } from '#tools/skills/skills.ts';
import { createGateway } from './gateway-server.ts';
import { listen } from './listen.ts';
import { openConfiguredBucket } from './open-bucket.ts';
import { openChats } from './open-chats.ts';
import { openStores } from './open-stores.ts';
import { openTools } from './open-tools.ts';
import type { Parts } from './parts.ts';
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

const RUNNING_TURNS = 500;

/** Builds and wires all parts. Only this folder knows how they fit together; `parts` adds to them. */
export async function wireApp(config: Config, log: Logger, parts: Parts): Promise<App> {
  const onError = (error: unknown) => log.error({ err: error }, 'a background task failed');
  await using undo = new AsyncDisposableStack(); // stops the parts already started when a later one fails

  const stores = await openStores(config, log, parts.database, undo);
  const { database, replica, application, connection, metrics, shares, db, identities } = stores;

  const limitUse: TakeUse = (key, limit) => takeUse(db, key, limit);
  const { secrets, key, keyId, summaries } = await openSecrets(db, config);
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
  const web = { url: config.publicUrl };
  const threadUrl = (id: ThreadId) => web.url && `${web.url}/threads/${id}`;
  const skills = createSkills(db, path.join(config.home, 'skills'), (message) => log.warn(message));
  const safety = createSafety({
    knownSecrets: createKnownSecrets(secrets, secretsOfService(config, tokens)),
    onActions: (where, actions) => log.warn({ ...where, actions }, 'a safety rule matched'),
  });
  const missions = createMissions(db);
  const { tools, toolAdmin, mcpAdmin, mcpOffers } = openTools({
    config,
    log,
    db,
    secrets,
    egress,
    takeUse: limitUse,
    fixed: [...builtinTools(egress, skills), ...memoryTools(memory), ...missionTools(missions), ...(parts.tools ?? [])],
    onError,
    undo,
  });
  const bucket = await openConfiguredBucket(config, connection, undo);
  const { attachmentsBucket: named } = config;
  await describeCell(database.connection, { keyId, bucket: named ? `${named.endpoint}/${named.name}` : null });
  const attachments = createAttachments(db, bucket, (error) =>
    log.warn({ err: error }, 'the bucket of attachments did not answer'),
  );
  const facts = { model: describeModelSettings(config.model), isCommand: parts.terminal ?? false };
  const turnLog = createTurnLog(
    {
      debug: log.isLevelEnabled('debug') ? (line, message) => log.debug(line, message) : undefined,
      warn: (line, message) => log.warn(line, message),
    },
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
      attachments,
      skills,
      limits: config.spending,
      retries: config.model.retries,
      log: turnLog,
      isTraced: config.otelEndpoint !== undefined,
    }),
    onAccepted: (turn) => turnLog.accepted(turn),
    onTakenOver: metrics.takenOver,
    onRound: metrics.finishedRound,
    onError,
    isAway,
    times: parts.engineTimes,
  });
  undo.defer(() => engine.drain());
  const lifecycle = startLifecycle({
    engine,
    retention: { ...DEFAULT_RETENTION, jobs: config.webhook.jobDays },
    attachments: { bucket, ...parts.attachmentSweep },
    purgeThreadsEveryMs: parts.purgeThreadsEveryMs,
    times: parts.engineTimes,
  });
  undo.defer(() => lifecycle.stop());
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
  const agent = createAgent(db, engine, summaries, attachments, threadUrl, titles?.request, metrics.approved);
  const isReady = async () => engine.isReady() && (await isReachable(db));
  const jobs = createJobs(db);
  const findName = async ({ userId }: Principal) => (await findUser(identities, userId))?.name;
  const forChats = {
    config,
    parts,
    db,
    engine,
    egress,
    secrets,
    agent,
    attachments,
    threadUrl,
    findName,
    log,
    onError,
    undo,
  };
  const chats = openChats(forChats);
  const findVapid = createVapid(secrets);
  startBackground({
    chatCarrier: chats.carrier,
    config,
    log,
    parts,
    database,
    db,
    engine,
    egress,
    secrets,
    jobs,
    missions,
    findVapid,
    embedder,
    metrics,
    threadUrl,
    onError,
    undo,
  });

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
  const openAnswers = createOpenAnswers();
  const leavingUsers = startReleasingUsers({
    engine,
    findLeaving: () => findLeaving(identities),
    onLeaving: (userId) => {
      auth.forget();
      openAnswers.cut(userId);
    },
    onError,
  });
  undo.defer(async () => leavingUsers?.stop());
  const { server: gateway, routes } = await createGateway({
    ...parts,
    missions,
    deliveries: createDeliveries(db),
    chatAdmin: chats.admin,
    notifications: createNotifications(db, secrets),
    devices: createDevices(db, findVapid),
    config,
    log,
    db,
    database,
    auth,
    lifecycle,
    takeUse: limitUse,
    engine,
    isReady,
    agent,
    jobs,
    tools,
    memory,
    embeddings: createEmbeddings({ db, engine, embedder, limits: config.spending }),
    skills,
    threadUrl,
    fetchLinks: createLinkFetcher(egress),
    threads: createThreads(db, engine, attachments),
    attachments,
    conversations: createConversations(db, engine, attachments),
    versions: createVersions(db, engine),
    operations: createOperations(engine, metrics),
    toolAdmin,
    mcpAdmin,
    mcpOffers,
    modelAdmin: createModelAdmin({ settings, default: config.model, apiKeyFor }),
    modelProviders,
    modelCatalog: createModelCatalog({ settings, configured: config.model, apiKeyFor }),
    preferences: createPreferences(db, settings),
    metrics,
    openAnswers,
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
  const keys = Object.entries(config.model.apiKeys).flatMap(([provider, key]) =>
    key && isSearchedKey(key) ? [[`${provider}_api_key`, key] as const] : [],
  );
  const webhook = config.webhook.enabled ? [['webhook_secret', config.webhook.secret] as const] : [];
  const all = [
    ...keys,
    ...webhook,
    ['bucket_secret', config.attachmentsBucket?.secretAccessKey] as const,
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
