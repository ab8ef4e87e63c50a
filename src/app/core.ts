import path from 'node:path';
import { createSearchSettings } from '#agent/administration/search-settings.ts';
import { createWebhookRoutes } from '#agent/administration/webhook-routes.ts';
import { createAgent } from '#agent/agent.ts';
import { createAttachments } from '#agent/attachments/attachments.ts';
import { createJobs } from '#agent/jobs.ts';
import { createMissions } from '#agent/missions/missions.ts';
import { createVapid } from '#agent/outbox/push/vapid.ts';
import { createProjectFiles } from '#agent/projects/project-files.ts';
import { createSafety } from '#agent/turn/safety.ts';
import { createContainers } from '#agent/workspace/containers.ts';
import { createStoredFiles } from '#agent/workspace/stored-files.ts';
import { createUploads } from '#agent/workspace/uploads.ts';
import { createVectorStores } from '#agent/workspace/vector-stores.ts';
import { createWorkspaces } from '#agent/workspace/workspaces.ts';
import { createAuth } from '#auth/auth.ts';
import { describeCell } from '#cells/claim-cell.ts';
import { checkRoute } from '#channels/webhook/events/check-route.ts';
import { createDocuments } from '#documents/documents.ts';
import { createDrawer, createExtractor } from '#documents/extractor.ts';
import type { ThreadId } from '#domain/ids.ts';
import { isSearchedKey } from '#domain/model-key.ts';
import { AttachmentUnavailable } from '#domain/thread/attachment.ts';
import { createOpenAnswers } from '#http/caller/open-answers.ts';
import { createMemory } from '#memory/memory.ts';
import { isReachable, withOwner } from '#store/connection.ts';
import { readVersion } from '#store/workspaces/workspaces.ts';
import { agentRunTool } from '#tools/builtin/agent-run.ts';
import { createCodeTools } from '#tools/builtin/code/code-tools.ts';
import { createCodeNetwork } from '#tools/builtin/code/network.ts';
import { documentTools } from '#tools/builtin/documents/document-tools.ts';
import { storeSearchTool } from '#tools/builtin/documents/store-search.ts';
import { fileTools } from '#tools/builtin/files/file-tools.ts';
import { memoryTools } from '#tools/builtin/memory-tools.ts';
import { missionTools } from '#tools/builtin/mission-tools.ts';
import { findWall } from '#tools/component/jail/wall.ts';
import { builtinTools } from '#tools/registry.ts';
import { createKnownSecrets } from '#tools/secrets/known-secrets.ts';
import { RESEARCH_SKILL } from '#tools/skills/research-skill.ts';
import { createSkills } from '#tools/skills/skills.ts';
import type { Base } from './base.ts';
import { openConfiguredBucket } from './open-bucket.ts';
import { openEngine } from './open-engine.ts';
import { openModels } from './open-models.ts';
import { openSandboxes } from './open-sandboxes.ts';
import { openTools } from './open-tools.ts';

/** What channels and background tasks share: the agent with its tools, the engine, and who may use them. */
export type Core = Awaited<ReturnType<typeof openCore>>;

export async function openCore(base: Base) {
  const { config, log, parts, db, secrets, egress } = base;
  const sandboxes = openSandboxes(base);
  const models = await openModels(base);
  const memory = createMemory(db, models.embedder);
  const searchSettings = createSearchSettings({ db, secrets, egress, configured: config.search });
  const shippedSkills = async () => ((await searchSettings.open()) ? [RESEARCH_SKILL] : []);
  const skills = createSkills(db, path.join(config.home, 'skills'), (message) => log.warn(message), shippedSkills);
  const safety = createSafety({
    knownSecrets: createKnownSecrets(secrets, secretsOfService(base)),
    onActions: (where, actions) => log.warn({ ...where, actions }, 'a safety rule matched'),
  });
  const missions = createMissions(db);
  const { attachments, bucket } = await openAttachments(base);
  const extract = createExtractor({ findWall });
  const documents = createDocuments({
    db,
    embedder: models.embedder,
    extract,
    draw: createDrawer({ findWall }),
    read: async (owner, sha256, signal) => {
      const bytes = (await attachments.readPatiently(owner, [sha256], signal)).get(sha256);
      if (Buffer.isBuffer(bytes)) return bytes;
      throw bytes ?? new AttachmentUnavailable('missing');
    },
  });
  const vectorStores = createVectorStores(db, documents);
  const fixedTools = [
    ...builtinTools({ egress, extract }, skills, { open: () => searchSettings.open(), perDay: config.search.perDay }),
    ...memoryTools(memory),
    ...(config.delegation.depth > 0 ? [agentRunTool()] : []),
    ...missionTools(missions),
    ...fileTools(documents),
    ...documentTools(documents),
    storeSearchTool((...asked) => vectorStores.search(...asked)),
    ...(parts.tools ?? []),
  ];
  const codeTools = createCodeTools({
    sandboxes,
    versionOf: (owner, id) => withOwner(db, owner, (trx) => readVersion(trx, owner, id)),
    network: createCodeNetwork(db, egress, config.sandbox.hosts),
  });
  const tools = openTools(base, fixedTools, codeTools);
  const files = createStoredFiles(db, attachments, config.workspaces);
  const stores = { attachments, files, projectFiles: createProjectFiles(db, files), documents };
  const turnParts = { models: models.models, tools: tools.tools, safety, skills, ...stores };
  const { engine, lifecycle, titles } = await openEngine(base, turnParts, bucket);
  const web = { url: config.publicUrl };
  const threadUrl = (id: ThreadId) => web.url && `${web.url}/threads/${id}`;
  const onApproved = base.metrics.approved;
  return {
    ...base,
    ...models,
    ...tools,
    fixedTools,
    searchSettings,
    memory,
    skills,
    missions,
    ...stores,
    workspaces: createWorkspaces(db, files),
    sandboxes,
    uploads: createUploads(db, files),
    containers: createContainers(db, files),
    vectorStores,
    engine,
    lifecycle,
    agent: createAgent(db, engine, base.summaries, attachments, threadUrl, titles?.request, onApproved),
    jobs: createJobs(db),
    webhookRoutes: createWebhookRoutes(db, secrets, checkRoute),
    findVapid: createVapid(secrets),
    auth: await openAuth(base),
    openAnswers: createOpenAnswers(),
    /** Where browsers find the service: the public address, or else the one that the gateway listens on. */
    web,
    threadUrl,
    /** Whether turns can be accepted and run here. */
    isReady: async () => engine.isReady() && (await isReachable(db)),
  };
}

async function openAttachments({ config, log, db, database, connection, keyId, undo }: Base) {
  const bucket = await openConfiguredBucket(config, connection, undo);
  const { attachmentsBucket: named } = config;
  await describeCell(database.connection, { keyId, bucket: named ? `${named.endpoint}/${named.name}` : null });
  const onFailure = (error: unknown) => log.warn({ err: error }, 'the bucket of attachments did not answer');
  return { bucket, attachments: createAttachments(db, bucket, onFailure) };
}

const openAuth = ({ config, identities, tokens, onError }: Base) =>
  createAuth({
    identities,
    operatorTokens: Object.values(tokens),
    passingToken: config.gateway.authToken === undefined ? tokens.gateway : undefined,
    oidc: config.oidc,
    placement: config.placement,
    onError,
  });

/** The service's own credentials, which must never appear in what the agent reads or writes. */
function secretsOfService({ config, tokens }: Base): Map<string, string> {
  const keys = Object.entries(config.model.apiKeys).flatMap(([provider, key]) =>
    key && isSearchedKey(key) ? [[`${provider}_api_key`, key] as const] : [],
  );
  const webhook = config.webhook.enabled ? [['webhook_secret', config.webhook.secret] as const] : [];
  const all = [
    ...keys,
    ...webhook,
    ['search_api_key', config.search.apiKey] as const,
    ['bucket_secret', config.attachmentsBucket?.secretAccessKey] as const,
    ['operator_token', tokens.operator] as const,
    ['gateway_token', tokens.gateway] as const,
  ];
  return new Map(all.flatMap(([name, value]) => (value ? [[name, value]] : [])));
}
