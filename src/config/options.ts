import {
  addresses,
  baseUrl,
  bindHost,
  bucketName,
  cellNumbers,
  encryptionKey,
  exactHosts,
  flag,
  folder,
  headerText,
  hostNames,
  integer,
  money,
  networks,
  oneOf,
  origins,
  type Parser,
  port,
  postgresUrl,
  routeNames,
  someOf,
  text,
  token,
  webUrl,
  weightedCells,
} from './parsers.ts';

/** One option: `default` is parsed like any value, `unset` describes what happens without one. */
export type Option = { parser: Parser<unknown>; default?: string; unset?: string; secret?: true; help: string };

/** Every environment variable that the service reads. */
export const options = {
  CLI_ENABLED: { parser: flag, default: 'true', help: 'Enables the terminal UI.' },

  GATEWAY_ENABLED: { parser: flag, default: 'true', help: 'Enables the web gateway and the Responses API.' },
  GATEWAY_HOST: {
    parser: bindHost,
    default: '127.0.0.1',
    help: 'Host interface of the web gateway; 0.0.0.0 gives LAN access.',
  },
  GATEWAY_PORT: { parser: port, default: '3000', help: 'Port of the web gateway.' },
  GATEWAY_ALLOWED_HOSTS: {
    parser: hostNames,
    unset: "the host of PUBLIC_URL and the machine's own name",
    help: 'Additional host names for reaching the web gateway with a browser.',
  },
  GATEWAY_AUTH_TOKEN: {
    parser: token,
    unset: 'generated at each start and printed in the log',
    secret: true,
    help: 'Token required to open the web UI.',
  },

  HTTP_ENABLED: { parser: flag, unset: 'true if HTTP_WEBHOOK_SECRET is set', help: 'Enables the webhook channel.' },
  HTTP_HOST: {
    parser: bindHost,
    default: '0.0.0.0',
    help: 'Host interface of the webhook channel; 127.0.0.1 keeps it local.',
  },
  HTTP_PORT: { parser: port, default: '8080', help: 'Port of the webhook channel.' },
  HTTP_WEBHOOK_SECRET: {
    parser: headerText,
    secret: true,
    help: 'Shared secret that webhook callers send as X-Webhook-Secret; required by the channel.',
  },
  WEBHOOK_RATE_PER_MINUTE: {
    parser: integer(1, 1_000_000),
    default: '60',
    help: 'Webhook requests per minute from one client address.',
  },
  WEBHOOK_CALLBACK_HOSTS: {
    parser: hostNames,
    unset: 'none',
    help: 'Hosts allowed in callback_url, with the port if it is not 443.',
  },
  WEBHOOK_JOB_DAYS: { parser: integer(1, 36_500), default: '30', help: 'Days for which finished jobs are kept.' },

  SERVICE_REBORN_WEBUI_TOKEN: {
    parser: token,
    unset: 'the webui-token file in REBORN_HOME',
    secret: true,
    help: 'Bearer token of the operator.',
  },
  TRUSTED_PROXIES: {
    parser: networks,
    unset: 'none',
    help: 'Reverse proxies whose X-Forwarded-For header is trusted.',
  },
  CORS_ORIGINS: {
    parser: origins,
    unset: 'none',
    help: 'Origins whose pages may use the API with a token. Sessions of the browser app are never shared with them.',
  },
  PUBLIC_URL: { parser: baseUrl, help: 'Public address of the web gateway, used in links.' },
  CHAT_RATE_PER_MINUTE: {
    parser: integer(1, 1_000_000),
    default: '30',
    help: 'Messages per minute that a user may send, chat and Responses API combined.',
  },
  SIGN_IN_RATE_PER_MINUTE: {
    parser: integer(1, 1_000_000),
    default: '30',
    help: 'Browser sign-in attempts per minute from one client address.',
  },
  SHARE_LINKS: {
    parser: flag,
    default: 'true',
    help: 'Lets users share threads as read-only links. `false` also closes the links that exist.',
  },
  RESPONSES_TIMEOUT_SECS: {
    parser: integer(1, 86_400),
    default: '120',
    help: 'Timeout in seconds of a response without streaming.',
  },
  RESPONSES_TOOLS_MAX_BYTES: {
    parser: integer(16_384, 1_048_576),
    default: '16384',
    help: "Most bytes of a caller's `tools` in the Responses API, as canonical JSON.",
  },
  RESPONSES_UNKNOWN_TOOLS: {
    parser: oneOf('refuse', 'ignore'),
    default: 'refuse',
    help: 'What the Responses API does with tools that are not functions. `ignore` passes over them and offers the functions of a `namespace`.',
  },
  RESPONSES_HOSTED_TOOLS: {
    parser: someOf('code_interpreter', 'shell', 'web_search', 'file_search'),
    unset: 'none',
    help: "Hosted tools that the Responses API serves with the agent's own. The others are refused.",
  },

  OIDC_ISSUER: { parser: webUrl, help: 'Identity provider for single sign-on.' },
  OIDC_CLIENT_ID: { parser: text, help: 'Client ID at the identity provider.' },
  OIDC_CLIENT_SECRET: { parser: text, secret: true, help: 'Client secret at the identity provider.' },
  OIDC_ALLOWED_DOMAINS: { parser: hostNames, unset: 'all', help: 'Email domains that are allowed to sign in.' },

  LLM_PROVIDER: {
    parser: oneOf('demo', 'openai', 'anthropic', 'google', 'openai-compatible'),
    default: 'demo',
    help: 'Provider of the default model; demo answers offline.',
  },
  LLM_MODEL: { parser: text, help: 'Name of the default model, as the provider spells it.' },
  LLM_BASE_URL: { parser: baseUrl, help: "Address of the provider's API, if it is not the default one." },
  LLM_API_KEY: {
    parser: token,
    unset: "the provider's usual variable",
    secret: true,
    help: 'API key of the provider.',
  },
  LLM_CONTEXT_TOKENS: {
    parser: integer(1000, 100_000_000),
    unset: 'the known size of LLM_MODEL, or 128000',
    help: 'Context size of the model in tokens; longer threads are summarised.',
  },
  LLM_TRIES: {
    parser: integer(1, 20),
    default: '4',
    help: 'Maximum number of calls to a model that is overloaded, failing or unreachable.',
  },
  LLM_RETRY_SECS: {
    parser: integer(1, 600),
    default: '15',
    help: 'Total wait in seconds between these calls, unless Retry-After asks for more.',
  },
  MCP_LOCAL_SERVERS: {
    parser: flag,
    default: 'false',
    help: 'Lets the operator add MCP servers that run as programs, with the rights of the service.',
  },
  MCP_TOOLS_IN_PROMPT: {
    parser: integer(0, 10_000),
    default: '30',
    help: 'Tools of MCP servers that every prompt describes. With more of them, the model searches for what it needs.',
  },
  LLM_FALLBACK: {
    parser: routeNames,
    unset: 'none',
    help: 'Model routes to try, in this order, when the default model fails.',
  },
  TITLE_MODEL: {
    parser: text,
    unset: 'the model of the thread',
    help: 'Model route that writes the titles of new threads; `off` turns titles off.',
  },
  OPENAI_API_KEY: { parser: text, secret: true, help: 'Used for openai when LLM_API_KEY is not set.' },
  ANTHROPIC_API_KEY: { parser: text, secret: true, help: 'Used for anthropic when LLM_API_KEY is not set.' },
  GOOGLE_GENERATIVE_AI_API_KEY: { parser: text, secret: true, help: 'Used for google when LLM_API_KEY is not set.' },
  EMBEDDING_MODEL: {
    parser: text,
    unset: 'memory is searched by words only',
    help: 'Model that embeds notes, and serves /v1/embeddings.',
  },

  SEARCH_ENGINE: {
    parser: oneOf('searxng', 'brave', 'tavily', 'exa'),
    unset: 'the one that was chosen in the browser, or none',
    help: 'Search engine of the agent. A choice in the browser replaces it.',
  },
  SEARCH_URL: { parser: baseUrl, help: 'Address of SearXNG, which may be in a private network.' },
  SEARCH_API_KEY: { parser: token, secret: true, help: 'Key of the search engine; SearXNG needs none.' },
  SEARCH_SAFE: {
    parser: oneOf('off', 'moderate', 'strict'),
    default: 'moderate',
    help: 'Whether the search engine leaves out what is not for everyone.',
  },
  SEARCH_LANGUAGE: { parser: token, unset: 'any', help: 'Language of the results, such as `en`.' },
  SEARCH_COUNTRY: { parser: token, unset: 'any', help: 'Country of the search, such as `DE`.' },
  SEARCH_ONLY: { parser: hostNames, unset: 'all', help: 'Hosts, with their subdomains, that results may be from.' },
  SEARCH_NOT: { parser: hostNames, unset: 'none', help: 'Hosts, with their subdomains, that no result is from.' },
  USER_SEARCHES_PER_DAY: {
    parser: integer(0, 1_000_000),
    default: '100',
    help: 'Web searches that each user may make per day (UTC).',
  },
  USER_PAGES_PER_DAY: {
    parser: integer(0, 1_000_000),
    default: '300',
    help: 'Web pages that the agent may open for each user per day (UTC).',
  },

  AGENT_DEPTH: {
    parser: integer(0, 3),
    default: '1',
    help: 'Levels of subagents: 0 turns them off, with 1 they start no others.',
  },
  AGENT_CHILDREN_AT_ONCE: {
    parser: integer(1, 100),
    default: '6',
    help: 'Subagents of one run that work at the same time.',
  },
  AGENT_CHILDREN_PER_RUN: {
    parser: integer(1, 1000),
    default: '20',
    help: 'Subagents that one run may start.',
  },
  AGENT_CHILDREN_PER_TREE: {
    parser: integer(1, 10_000),
    default: '50',
    help: 'Subagents that one run and all runs below it may start.',
  },
  AGENT_TOKENS_PER_CHILD: {
    parser: integer(1, 1_000_000_000),
    default: '200000',
    help: 'Tokens that one subagent may use, together with those that it starts.',
  },
  USER_TOKENS_PER_DAY: {
    parser: integer(1, 1_000_000_000_000),
    unset: 'no limit',
    help: 'Tokens that each user may use per day (UTC).',
  },
  USER_USD_PER_DAY: {
    parser: money,
    unset: 'no limit',
    help: 'Model costs that each user may cause per day (UTC), in US dollars.',
  },

  DATABASE_URL: {
    parser: postgresUrl,
    unset: 'a built-in PostgreSQL with its data in REBORN_HOME',
    secret: true,
    help: 'Connection string of the PostgreSQL database, version 15 or later.',
  },
  DATABASE_CONNECTIONS: {
    parser: integer(6, 1000),
    default: '10',
    help: 'Connections to PostgreSQL that this process may open.',
  },
  CELL: {
    parser: integer(1, 4095),
    unset: 'a single installation',
    help: 'Number of this installation among those that share one address; the same on all its replicas.',
  },
  CELLS: {
    parser: weightedCells,
    unset: 'new users stay where they sign in',
    help: 'All cells, over which new users of the identity provider are spread; with a weight of 0, a cell is closed to them.',
  },
  CELL_REGISTRARS: {
    parser: cellNumbers,
    unset: 'not used',
    help: 'The cells that remember where users were placed, when CELLS is set: those of the beginning, and never others.',
  },
  REBORN_HOME: { parser: folder, default: '~/.reborn', help: 'Folder for everything the service stores on disk.' },
  REBORN_URL: {
    parser: baseUrl,
    unset: 'the service of REBORN_HOME',
    help: 'Address of the service that the commands use, together with REBORN_TOKEN.',
  },
  REBORN_TOKEN: {
    parser: token,
    secret: true,
    help: 'Bearer token of the user for whom the commands use REBORN_URL.',
  },
  SECRETS_KEY: {
    parser: encryptionKey,
    unset: 'generated once and kept on this machine',
    secret: true,
    help: 'Key that encrypts stored secrets; all replicas must use the same one.',
  },
  SECRETS_KEY_PREVIOUS: {
    parser: encryptionKey,
    unset: 'none',
    secret: true,
    help: 'Previous key, still accepted for reading stored secrets while SECRETS_KEY is replaced.',
  },

  ATTACHMENTS_BUCKET: {
    parser: bucketName,
    unset: 'attachments are stored in PostgreSQL',
    help: 'Bucket of an S3-compatible store for new images and files; all replicas must use the same one.',
  },
  ATTACHMENTS_ENDPOINT: {
    parser: baseUrl,
    help: 'Address of the S3-compatible store; required with ATTACHMENTS_BUCKET.',
  },
  ATTACHMENTS_REGION: { parser: token, default: 'us-east-1', help: 'Region of the bucket.' },
  ATTACHMENTS_ACCESS_KEY_ID: { parser: token, help: 'Access key of the bucket; required with ATTACHMENTS_BUCKET.' },
  ATTACHMENTS_SECRET_ACCESS_KEY: {
    parser: token,
    secret: true,
    help: 'Secret of the access key; required with ATTACHMENTS_BUCKET.',
  },

  WORKSPACE_QUOTA_MB: {
    parser: integer(1, 1024),
    default: '256',
    help: 'Most megabytes of the files of one thread; all replicas must use the same value.',
  },
  USER_STORAGE_MB: {
    parser: integer(1, 1_000_000_000),
    default: '10000',
    help: 'Most megabytes that a user can store, in all files of all threads and all uploads; all replicas must use the same value.',
  },

  TOOL_JAIL_REQUIRES: {
    parser: someOf('network', 'files', 'processes'),
    unset: 'none',
    help: 'What the operating system must keep from sandboxed tools. Without these layers no tool is installed or called.',
  },
  SANDBOX: {
    parser: oneOf('auto', 'off', 'bubblewrap', 'runners'),
    default: 'auto',
    help: 'Whether and where the agent can run code. `auto`: in SANDBOX_RUNNERS if they are set, else behind bubblewrap on this machine.',
  },
  SANDBOX_RUNNERS: {
    parser: addresses,
    unset: 'none',
    help: 'Containers where code runs instead, as `host:port`. A name may stand for many: all its addresses are tried.',
  },
  SANDBOX_REQUIRES: {
    parser: someOf('network', 'files', 'processes', 'privileges', 'calls', 'limits'),
    default: 'network,files,processes',
    help: 'Layers of the sandbox without which no code runs.',
  },
  SANDBOX_HOSTS: {
    parser: exactHosts,
    unset: 'none',
    help: 'Hosts that code can reach by https, in threads whose owner allows it. Exact names; without them no code has network.',
  },

  OTEL_EXPORTER_OTLP_ENDPOINT: {
    parser: baseUrl,
    unset: 'not sent',
    help: 'OpenTelemetry collector (OTLP over HTTP) that receives a trace of each turn.',
  },
  LOG_LEVEL: {
    parser: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    help: 'Minimum level of log lines. `debug` logs each step of every turn, with ids and times and without content.',
  },
  LOG_FORMAT: {
    parser: oneOf('auto', 'text', 'json'),
    default: 'auto',
    help: 'Form of log lines: `text` for people, or `json`. `auto` is text in a terminal and JSON elsewhere.',
  },
} as const satisfies Record<string, Option>;

export type OptionName = keyof typeof options;
