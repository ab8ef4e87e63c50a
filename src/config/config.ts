import { ConfigError } from './config-error.ts';
import { type Option, type OptionName, options } from './options.ts';
import { readSettings, type Settings } from './settings-file.ts';

export type Config = {
  cli: { enabled: boolean };
  gateway: { enabled: boolean; host: string; port: number; allowedHosts: string[]; authToken: string | undefined };
  webhook: WebhookConfig;
  operatorToken: string | undefined;
  trustedProxies: string[];
  corsOrigins: string[];
  publicUrl: string | undefined;
  chatRatePerMinute: number;
  signInRatePerMinute: number;
  /** Whether threads can be read by links. */
  shareLinks: boolean;
  responsesTimeoutSecs: number;
  /** The limits on callers' tools in the Responses API. */
  responsesTools: {
    maxBytes: number;
    unknownTools: 'refuse' | 'ignore';
    hosted: readonly ('code_interpreter' | 'shell' | 'web_search' | 'file_search')[];
  };
  oidc: OidcConfig | undefined;
  model: ModelConfig;
  embeddingModel: string | undefined;
  /** Whether models name threads, and the route that does; undefined for the model of the thread. */
  titleModel: { enabled: boolean; route: string | undefined };
  search: SearchConfig;
  /** How far the agent may divide its work among subagents. */
  delegation: { depth: number; active: number; perRun: number; perTree: number; tokensPerChild: number };
  /** What each user may spend; null means no limit. */
  spending: { tokensPerDay: number | null; usdPerDay: number | null };
  /** With more tools of MCP servers, the model searches for them. */
  mcpToolsInPrompt: number;
  /** Whether the operator can add MCP servers that run as programs. */
  mcpLocalServers: boolean;
  /** Layers of the operating system without which no sandboxed tool runs. */
  toolJailRequires: ('network' | 'files' | 'processes')[];
  databaseUrl: string | undefined;
  databaseConnections: number;
  /** The number of this installation among several behind one address. */
  cell: number | undefined;
  /** How new users are spread over the cells; undefined if they stay where they sign in. */
  placement: PlacementConfig | undefined;
  home: string;
  /** The service that commands use instead of the one of this home. */
  remote: { url: string; token: string } | undefined;
  secretsKey: Buffer | undefined;
  secretsKeyPrevious: Buffer | undefined;
  /**
   * Whether code can run, in which runners if not on this machine, the layers without which it does not, and the hosts that it
   * can reach in threads that allow it.
   */
  sandbox: {
    enabled: boolean;
    runners: { host: string; port: number }[];
    requires: ('network' | 'files' | 'processes' | 'privileges' | 'calls' | 'limits')[];
    hosts: string[];
  };
  /** The most bytes of the files of a thread, and of everything that a user stores. */
  workspaces: { workspaceBytes: number; userBytes: number };
  /** Where new attachments go; undefined for PostgreSQL. */
  attachmentsBucket: BucketConfig | undefined;
  otelEndpoint: string | undefined;
  logLevel: Values['LOG_LEVEL'];
  logFormat: Values['LOG_FORMAT'];
};

export type PlacementConfig = {
  cells: { cell: number; weight: number }[];
  registrars: number[];
  /** What the cells sign with when they vouch for a user; the first is used, and both are accepted. */
  keys: [Buffer, ...Buffer[]];
};

export type WebhookConfig = {
  host: string;
  port: number;
  ratePerMinute: number;
  callbackHosts: string[];
  jobDays: number;
} & ({ enabled: true; secret: string } | { enabled: false });

/** The search engine of the environment; `engine` is undefined when there is none. */
export type SearchConfig = {
  engine: Values['SEARCH_ENGINE'];
  baseUrl: string | undefined;
  apiKey: string | undefined;
  safe: Values['SEARCH_SAFE'];
  language: string | undefined;
  country: string | undefined;
  only: string[];
  not: string[];
  perDay: { searches: number; pages: number };
};

export type EnabledWebhook = Extract<WebhookConfig, { enabled: true }>;

export type BucketConfig = {
  name: string;
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
};

export type OidcConfig = {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  allowedDomains: string[] | undefined;
};

export type ModelConfig = {
  provider: Values['LLM_PROVIDER'];
  name: string;
  baseUrl: string | undefined;
  apiKey: string | undefined;
  contextTokens: number | undefined;
  fallback: string[];
  /** How often a failing model is tried, and the total of the waits in between. */
  retries: { tries: number; seconds: number };
  /** The key of each provider, for named routes that use another provider. */
  apiKeys: Partial<Record<Values['LLM_PROVIDER'], string | undefined>>;
};

export function readConfig(env: NodeJS.ProcessEnv = readEnvironment()): Config {
  const problems: Problems = new Map();
  const config = toConfig(readValues(env, problems), problems);

  if (problems.size > 0) throw new ConfigError([...problems.values()]);
  return config;
}

/** The environment, with the home folder's `settings.env` as fallback. */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const given = Object.entries(env).filter(([, value]) => value?.trim());
  return { ...readKnownSettings(env), ...Object.fromEntries(given) };
}

/** The home folder set by the environment; its own `settings.env` can't change it. */
export function findHome(env: NodeJS.ProcessEnv = process.env): string {
  const { parser, default: usual } = options.REBORN_HOME;
  return parser.parse(env['REBORN_HOME']?.trim() || usual) ?? '';
}

/** An option's value and its source, for display. The value of a secret is never shown. */
export type ExplainedOption = {
  readonly name: string;
  readonly value: string | null;
  readonly source: 'environment' | 'settings.env' | 'default' | 'unset';
  readonly secret: boolean;
  readonly help: string;
};

export function explainOptions(env: NodeJS.ProcessEnv = process.env): ExplainedOption[] {
  const kept = readKnownSettings(env);
  return Object.entries<Option>(options).map(([name, option]) => {
    const given = env[name]?.trim() || undefined;
    const value = given ?? kept[name] ?? option.default ?? null;
    const source = given ? 'environment' : kept[name] ? 'settings.env' : option.default ? 'default' : 'unset';
    const secret = option.secret ?? false;
    return { name, value: secret && value !== null ? 'set (hidden)' : value, source, secret, help: option.help };
  });
}

/** Describes what is wrong with one value, as a sentence. */
export function findProblem(name: string, value: string): string | undefined {
  const option: Option | undefined = isOption(name) ? options[name] : undefined;
  if (!option) return `Unknown option ${name}. Run \`reborn config\` to list all options.`;
  return option.parser.parse(value) === undefined ? `${name} must be ${option.parser.expects}.` : undefined;
}

/** Whether output may be coloured; see https://no-color.org. */
export const wantsColour = (env: NodeJS.ProcessEnv = process.env): boolean => !env['NO_COLOR'];

/** A variable that a tool's author chose. The service's own settings are never given to a tool, which could send them to its host. */
export function readForeignVariable(name: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const isOurs = Object.hasOwn(options, name.toUpperCase()); // names are case-insensitive on Windows
  return isOurs || !Object.hasOwn(env, name) ? undefined : env[name]?.trim() || undefined;
}

function readKnownSettings(env: NodeJS.ProcessEnv): Settings {
  const kept = Object.entries(readSettings(findHome(env))).filter(([name]) => name !== 'REBORN_HOME');
  const unknown = kept.filter(([name]) => !isOption(name));
  if (unknown.length > 0)
    throw new ConfigError(unknown.map(([name]) => `settings.env sets the unknown option ${name}; remove the line.`));
  return Object.fromEntries(kept);
}

const isOption = (name: string): name is OptionName => Object.hasOwn(options, name);

/** At most one problem per option: a mistyped value is not also reported as missing. */
type Problems = Map<OptionName, string>;

type Parsed<O extends Option> = NonNullable<ReturnType<O['parser']['parse']>>;
type Values = {
  [N in OptionName]:
    | Parsed<(typeof options)[N]>
    | ((typeof options)[N] extends { default: string } ? never : undefined);
};

function readValues(env: NodeJS.ProcessEnv, problems: Problems): Values {
  const names = Object.keys(options) as OptionName[];
  return Object.fromEntries(names.map((name) => [name, readValue(name, env, problems)])) as Values;
}

/** The parsed value. A wrong value is recorded as a problem and replaced by the default, so that the other rules can be checked. */
function readValue(name: OptionName, env: NodeJS.ProcessEnv, problems: Problems): unknown {
  const option: Option = options[name];
  const fallback = option.default === undefined ? undefined : option.parser.parse(option.default);
  const given = env[name]?.trim();
  if (!given) return fallback;

  const value = option.parser.parse(given);
  if (value !== undefined) return value;

  const shown = option.secret ? 'has an invalid value' : `is "${withoutPassword(given)}"`;
  problems.set(name, `${name} ${shown}; it must be ${option.parser.expects}.`);
  return fallback;
}

function withoutPassword(given: string): string {
  return given.replace(/\/\/.*@/, '//***@');
}

function toConfig(values: Values, problems: Problems): Config {
  if (!values.CLI_ENABLED && !values.GATEWAY_ENABLED && !wantsWebhook(values, problems))
    problems.set(
      'CLI_ENABLED',
      'CLI_ENABLED, GATEWAY_ENABLED and HTTP_ENABLED are all off, so the service could not be reached; turn one on.',
    );

  return {
    cli: { enabled: values.CLI_ENABLED },
    gateway: {
      enabled: values.GATEWAY_ENABLED,
      host: values.GATEWAY_HOST,
      port: values.GATEWAY_PORT,
      allowedHosts: values.GATEWAY_ALLOWED_HOSTS ?? [],
      authToken: values.GATEWAY_AUTH_TOKEN,
    },
    webhook: toWebhook(values, problems),
    operatorToken: values.SERVICE_REBORN_WEBUI_TOKEN,
    trustedProxies: values.TRUSTED_PROXIES ?? [],
    corsOrigins: values.CORS_ORIGINS ?? [],
    publicUrl: values.PUBLIC_URL,
    chatRatePerMinute: values.CHAT_RATE_PER_MINUTE,
    signInRatePerMinute: values.SIGN_IN_RATE_PER_MINUTE,
    shareLinks: values.SHARE_LINKS,
    responsesTimeoutSecs: values.RESPONSES_TIMEOUT_SECS,
    responsesTools: {
      maxBytes: values.RESPONSES_TOOLS_MAX_BYTES,
      unknownTools: values.RESPONSES_UNKNOWN_TOOLS,
      hosted: values.RESPONSES_HOSTED_TOOLS ?? [],
    },
    oidc: toOidc(values, problems),
    model: toModel(values, problems),
    embeddingModel: values.EMBEDDING_MODEL,
    mcpToolsInPrompt: values.MCP_TOOLS_IN_PROMPT,
    titleModel:
      values.TITLE_MODEL === 'off'
        ? { enabled: false, route: undefined }
        : { enabled: true, route: values.TITLE_MODEL },
    mcpLocalServers: values.MCP_LOCAL_SERVERS,
    toolJailRequires: values.TOOL_JAIL_REQUIRES ?? [],
    sandbox: toSandbox(values, problems),
    workspaces: { workspaceBytes: values.WORKSPACE_QUOTA_MB * MEGABYTE, userBytes: values.USER_STORAGE_MB * MEGABYTE },
    search: toSearch(values, problems),
    delegation: {
      depth: values.AGENT_DEPTH,
      active: values.AGENT_CHILDREN_AT_ONCE,
      perRun: values.AGENT_CHILDREN_PER_RUN,
      perTree: values.AGENT_CHILDREN_PER_TREE,
      tokensPerChild: values.AGENT_TOKENS_PER_CHILD,
    },
    spending: { tokensPerDay: values.USER_TOKENS_PER_DAY ?? null, usdPerDay: values.USER_USD_PER_DAY ?? null },
    databaseUrl: values.DATABASE_URL,
    databaseConnections: values.DATABASE_CONNECTIONS,
    cell: values.CELL,
    placement: toPlacement(values, problems),
    home: values.REBORN_HOME,
    remote:
      values.REBORN_URL && values.REBORN_TOKEN ? { url: values.REBORN_URL, token: values.REBORN_TOKEN } : undefined,
    secretsKey: values.SECRETS_KEY,
    secretsKeyPrevious: values.SECRETS_KEY_PREVIOUS,
    attachmentsBucket: toBucket(values, problems),
    otelEndpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT,
  };
}

function toWebhook(values: Values, problems: Problems): WebhookConfig {
  const secret = values.HTTP_WEBHOOK_SECRET;
  const wanted = wantsWebhook(values, problems);
  if (wanted && !secret)
    demand('HTTP_WEBHOOK_SECRET', 'when HTTP_ENABLED is true; create one with `openssl rand -hex 32`', problems);

  return {
    ...(wanted && secret ? { enabled: true, secret } : { enabled: false }),
    host: values.HTTP_HOST,
    port: values.HTTP_PORT,
    ratePerMinute: values.WEBHOOK_RATE_PER_MINUTE,
    callbackHosts: values.WEBHOOK_CALLBACK_HOSTS ?? [],
    jobDays: values.WEBHOOK_JOB_DAYS,
  };
}

function wantsWebhook(values: Values, problems: Problems): boolean {
  return values.HTTP_ENABLED ?? (values.HTTP_WEBHOOK_SECRET !== undefined || problems.has('HTTP_WEBHOOK_SECRET'));
}

function toOidc(values: Values, problems: Problems): OidcConfig | undefined {
  if (!values.OIDC_ISSUER) return undefined;
  if (!values.OIDC_CLIENT_ID) demand('OIDC_CLIENT_ID', 'when OIDC_ISSUER is set', problems);

  return {
    issuer: values.OIDC_ISSUER,
    clientId: values.OIDC_CLIENT_ID ?? '',
    clientSecret: values.OIDC_CLIENT_SECRET,
    allowedDomains: values.OIDC_ALLOWED_DOMAINS,
  };
}

function toPlacement(values: Values, problems: Problems): PlacementConfig | undefined {
  const { CELLS: cells, CELL_REGISTRARS: registrars = [], CELL: own } = values;
  const { SECRETS_KEY: key, SECRETS_KEY_PREVIOUS: previous } = values;
  if (!cells) return undefined;
  const when = 'when CELLS is set';
  if (own === undefined) demand('CELL', when, problems);
  if (registrars.length === 0)
    demand('CELL_REGISTRARS', `${when}; it never changes, so read about placement first`, problems);
  if (!key) demand('SECRETS_KEY', `${when}; the same in all cells`, problems);
  const listed = new Set(cells.map(({ cell }) => cell));
  const missing = [own, ...registrars].find((cell) => cell !== undefined && !listed.has(cell));
  if (missing !== undefined)
    problems.set('CELLS', `CELLS must list cell ${missing}, too; write ${missing}:0 if it takes no new users.`);
  else if (cells.every(({ weight }) => weight === 0))
    problems.set('CELLS', 'CELLS must give one cell a weight above 0, so that new users have a home.');
  return key && { cells, registrars, keys: [key, ...(previous ? [previous] : [])] };
}

function toSearch(values: Values, problems: Problems): SearchConfig {
  const { SEARCH_ENGINE: engine, SEARCH_URL: baseUrl, SEARCH_API_KEY: apiKey } = values;
  const when = `when SEARCH_ENGINE is ${engine}`;
  if (engine === 'searxng' && !baseUrl) demand('SEARCH_URL', when, problems);
  if (engine && engine !== 'searxng' && !apiKey) demand('SEARCH_API_KEY', when, problems);

  return {
    engine,
    baseUrl,
    apiKey,
    safe: values.SEARCH_SAFE,
    language: values.SEARCH_LANGUAGE,
    country: values.SEARCH_COUNTRY,
    only: values.SEARCH_ONLY ?? [],
    not: values.SEARCH_NOT ?? [],
    perDay: { searches: values.USER_SEARCHES_PER_DAY, pages: values.USER_PAGES_PER_DAY },
  };
}

const MEGABYTE = 1_000_000;

function toSandbox(values: Values, problems: Problems): Config['sandbox'] {
  const { SANDBOX: rung, SANDBOX_RUNNERS: runners = [], SANDBOX_REQUIRES: requires } = values;
  if (rung === 'runners' && runners.length === 0) demand('SANDBOX_RUNNERS', 'when SANDBOX is runners', problems);
  const hosts = values.SANDBOX_HOSTS ?? [];
  return { enabled: rung !== 'off', runners: rung === 'bubblewrap' ? [] : runners, requires, hosts };
}

function toBucket(values: Values, problems: Problems): BucketConfig | undefined {
  const name = values.ATTACHMENTS_BUCKET;
  if (!name) return undefined;
  for (const needed of ['ATTACHMENTS_ENDPOINT', 'ATTACHMENTS_ACCESS_KEY_ID', 'ATTACHMENTS_SECRET_ACCESS_KEY'] as const)
    if (!values[needed]) demand(needed, 'when ATTACHMENTS_BUCKET is set', problems);

  const { ATTACHMENTS_ENDPOINT: endpoint = '', ATTACHMENTS_REGION: region } = values;
  const { ATTACHMENTS_ACCESS_KEY_ID: accessKeyId = '', ATTACHMENTS_SECRET_ACCESS_KEY: secretAccessKey = '' } = values;
  return { name, endpoint, region, accessKeyId, secretAccessKey };
}

function toModel(values: Values, problems: Problems): ModelConfig {
  const provider = values.LLM_PROVIDER;
  const usualKey = USUAL_KEYS[provider];
  const apiKey = values.LLM_API_KEY ?? (usualKey && values[usualKey]);
  const when = `when LLM_PROVIDER is ${provider}`;

  if (provider !== 'demo' && !values.LLM_MODEL) demand('LLM_MODEL', when, problems);
  if (provider === 'openai-compatible' && !values.LLM_BASE_URL) demand('LLM_BASE_URL', when, problems);
  if (usualKey && !apiKey) demand('LLM_API_KEY', `(or ${usualKey}) ${when}`, problems);

  const apiKeys = {
    openai: values.OPENAI_API_KEY,
    anthropic: values.ANTHROPIC_API_KEY,
    google: values.GOOGLE_GENERATIVE_AI_API_KEY,
    [provider]: apiKey,
  };
  return {
    provider,
    name: values.LLM_MODEL ?? 'demo',
    baseUrl: values.LLM_BASE_URL,
    apiKey,
    contextTokens: values.LLM_CONTEXT_TOKENS,
    fallback: values.LLM_FALLBACK ?? [],
    retries: { tries: values.LLM_TRIES, seconds: values.LLM_RETRY_SECS },
    apiKeys,
  };
}

const USUAL_KEYS = {
  demo: undefined,
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
  'openai-compatible': undefined,
} as const satisfies Record<Values['LLM_PROVIDER'], OptionName | undefined>;

function demand(name: OptionName, when: string, problems: Problems): void {
  if (!problems.has(name)) problems.set(name, `${name} must be set ${when}.`);
}
