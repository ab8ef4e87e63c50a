import { createErasures } from '#agent/administration/erasures.ts';
import { createModelAdmin } from '#agent/administration/models/model-admin.ts';
import { createModelCatalog } from '#agent/administration/models/model-catalog.ts';
import { createProviderModels } from '#agent/administration/models/provider-models.ts';
import { createOperations } from '#agent/administration/operations.ts';
import { createPersonExport } from '#agent/administration/person-export.ts';
import { createRetentionAdmin } from '#agent/administration/retention-admin.ts';
import { createSkillAdmin } from '#agent/administration/skill-admin.ts';
import { createAssistants } from '#agent/assistants/assistants.ts';
import { createLinkFetcher } from '#agent/attachments/fetch-links.ts';
import type { ChatAdmin } from '#agent/chats/accounts/chat-admin.ts';
import { readKnownTools } from '#agent/gates/known-tools.ts';
import { createPairings } from '#agent/gates/pairings.ts';
import { createToolPolicies } from '#agent/gates/policy-settings.ts';
import { createStandingApprovals } from '#agent/gates/standing-approvals.ts';
import { createChatImports } from '#agent/imports/chat-imports.ts';
import { createInputTokens } from '#agent/input/input-tokens.ts';
import { createInspectTurn } from '#agent/inspection/inspect-turn.ts';
import { createMissionDrain } from '#agent/missions/drain.ts';
import { createMissionResults } from '#agent/missions/results.ts';
import { createDeliveries, createNotifications } from '#agent/outbox/notifications.ts';
import { createDevices } from '#agent/outbox/push/devices.ts';
import { createPreferences } from '#agent/preferences.ts';
import { createProjectMembers } from '#agent/projects/project-members.ts';
import { createProjectNotes } from '#agent/projects/project-notes.ts';
import { createProjects } from '#agent/projects/projects.ts';
import { createUsage } from '#agent/spending/budget-usage.ts';
import { createEmbeddings } from '#agent/spending/embeddings.ts';
import { createLimitsAdmin } from '#agent/spending/spending-limits.ts';
import { createConversations } from '#agent/threads/conversations.ts';
import { createLoadImage } from '#agent/threads/load-image.ts';
import { createPromptTemplates } from '#agent/threads/prompt-templates.ts';
import { createRatings } from '#agent/threads/ratings.ts';
import { createShares } from '#agent/threads/shares.ts';
import { createStarters } from '#agent/threads/starters.ts';
import { createThreads } from '#agent/threads/threads.ts';
import { createVersions } from '#agent/threads/versions.ts';
import { createMcpHandlerFor } from '#channels/mcp/mcp-route.ts';
import type { Principal, UserId } from '#domain/principal.ts';
import { DEFAULT_RETENTION } from '#domain/retention.ts';
import { createLimiter } from '#http/caller/rate-limit.ts';
import { createSocketPace } from '#http/socket/socket-pace.ts';
import { TOOL_SEARCH } from '#tools/search/deferred-tools.ts';
import packageJson from '../../package.json' with { type: 'json' };
import type { Core } from './core.ts';
import { appFacts, statusFacts } from './facts.ts';

/** What the routes of the gateway use, by the names that they ask for. */
export type Services = ReturnType<typeof createServices>;

/** Pages of shared threads per client address. */
const VISITS_PER_MINUTE = 120;

/** Adds the services of all channels to the core. A new service is added here, and nowhere else. */
export function createServices(core: Core, chatAdmin: ChatAdmin) {
  const { config, db, engine, auth, attachments, agent, memory, threadUrl, onError } = core;
  const perMinute = (limit: number) => createLimiter(core.takeUse, { limit, windowSeconds: 60 });
  const limiter = perMinute(config.chatRatePerMinute);
  const isUser = (id: UserId) => auth.accounts.isUser(id);
  const catalog = { settings: core.modelSettings, apiKeyFor: core.modelProviders.apiKeyFor };
  const modelCatalog = createModelCatalog({ ...catalog, configured: config.model });
  const assistants = createAssistants(db);
  const threads = createThreads(db, engine, attachments, config.sandbox.hosts);
  const fetchLinks = createLinkFetcher(core.egress);
  const streams = new Set<unknown>();
  const retentionDefaults = { ...DEFAULT_RETENTION, jobs: config.webhook.jobDays };
  const sharing = { enabled: config.shareLinks, isUser, findCell: auth.findCell };
  return {
    ...core,
    ...responsesServices(core),
    accounts: auth.accounts,
    appFacts: appFacts(config, modelCatalog),
    approvals: createStandingApprovals(db),
    assistants,
    chatAdmin,
    chatImports: createChatImports(db, engine),
    connections: { sockets: new Set<unknown>(), streams },
    deliveries: createDeliveries(db),
    devices: createDevices(db, core.findVapid),
    erasures: createErasures({ db, engine, requests: auth.erasures, run: core.lifecycle.erase, onError }),
    fetchLinks,
    inspect: createInspectTurn(core),
    invitations: auth.invitations,
    limiter,
    limitGuesses: perMinute(config.signInRatePerMinute),
    limits: createLimitsAdmin(db, isUser),
    limitVisits: perMinute(VISITS_PER_MINUTE),
    loadImage: createLoadImage(threads, fetchLinks),
    mcpHandler: createMcpHandlerFor({
      agent,
      assistants,
      memory,
      limiter,
      threadUrl,
      onError,
      version: packageJson.version,
    }),
    missionDrain: createMissionDrain(db, engine.system),
    missionResults: createMissionResults(db),
    modelAdmin: createModelAdmin({ ...catalog, default: config.model }),
    modelCatalog,
    notifications: createNotifications(db, core.secrets),
    operations: createOperations(engine, core.metrics),
    pace: createSocketPace(),
    pairings: createPairings(db),
    personExport: createPersonExport(db, auth.readAccount, attachments),
    policies: createToolPolicies(db, () => listToolNames(core)),
    providerModels: createProviderModels({
      providers: core.modelProviders,
      settings: core.modelSettings,
      configured: config.model,
    }),
    preferences: createPreferences(db, core.modelSettings),
    ...projectServices(core),
    ratings: createRatings(db, engine),
    retention: createRetentionAdmin({ db, defaults: retentionDefaults, isUser }),
    shares: createShares({ db, engine, attachments, links: core.shareLinks, ...sharing }),
    signIn: auth.signIn,
    site: { publicUrl: config.publicUrl },
    skills: createSkillAdmin(core),
    starters: createStarters(core.tools, async () => (await modelCatalog.findDefault()).provider === 'demo'),
    statusFacts: statusFacts(core, modelCatalog),
    streams,
    templates: createPromptTemplates(db),
    threads,
    usageReports: createUsage(db, { mostBytes: config.workspaces.userBytes, limits: config.spending }),
    versions: createVersions(db, engine),
  };
}

function projectServices({ db, engine, attachments, auth: { people } }: Core) {
  const getByName = (called: string) => people.getByName(called);
  return {
    people,
    projects: createProjects(db),
    projectMembers: createProjectMembers({ db, system: engine.system, attachments, getByName }),
    projectNotes: createProjectNotes(db),
  };
}

/** Every tool that the operator can write a policy for. */
async function listToolNames({ db, engine, fixedTools }: Core): Promise<string[]> {
  const known = await readKnownTools(fixedTools, db, engine.system);
  return [TOOL_SEARCH, ...known.map(({ name }) => name)];
}

/** What only the Responses API and chat completions use. */
function responsesServices(core: Core) {
  const { config, db, engine, embedder, tools, parts } = core;
  return {
    conversations: createConversations(db, engine, core.attachments),
    countInputTokens: createInputTokens(core),
    embeddings: createEmbeddings({ db, engine, embedder, limits: config.spending }),
    externalTools: parts.externalTools ?? true,
    modelNames: async () => Object.keys(await core.modelSettings.readRoutes()),
    timeoutSeconds: config.responsesTimeoutSecs,
    toolLimits: config.responsesTools,
    toolNames: async (owner: Principal) => new Set((await tools.current(owner)).definitions().map(({ name }) => name)),
  };
}
