import {
  baseUrl,
  bindHost,
  encryptionKey,
  flag,
  folder,
  headerText,
  hostNames,
  integer,
  money,
  networks,
  oneOf,
  type Parser,
  port,
  postgresUrl,
  routeNames,
  text,
  token,
  webUrl,
} from './parsers.ts';

/** One option: `default` is read by the parser like any value, `unset` says in words what happens without one. */
export type Option = { parser: Parser<unknown>; default?: string; unset?: string; secret?: true; help: string };

/** Every environment variable the service knows. What is not here is not read. */
export const options = {
  CLI_ENABLED: { parser: flag, default: 'true', help: 'Opens the terminal UI.' },

  GATEWAY_ENABLED: { parser: flag, default: 'true', help: 'Serves the web gateway and the Responses API.' },
  GATEWAY_HOST: {
    parser: bindHost,
    default: '127.0.0.1',
    help: 'The interface of the web gateway; 0.0.0.0 opens it to the network.',
  },
  GATEWAY_PORT: { parser: port, default: '3000', help: 'The port of the web gateway.' },
  GATEWAY_ALLOWED_HOSTS: {
    parser: hostNames,
    unset: "the host of PUBLIC_URL and the machine's own name",
    help: 'Further host names under which browsers may reach the web gateway.',
  },
  GATEWAY_AUTH_TOKEN: {
    parser: token,
    unset: 'made at each start and shown in the log',
    secret: true,
    help: 'The token that opens the web UI.',
  },

  HTTP_ENABLED: { parser: flag, unset: 'true if HTTP_WEBHOOK_SECRET is set', help: 'Serves the webhook channel.' },
  HTTP_HOST: {
    parser: bindHost,
    default: '0.0.0.0',
    help: 'The interface of the webhook channel; 127.0.0.1 keeps it local.',
  },
  HTTP_PORT: { parser: port, default: '8080', help: 'The port of the webhook channel.' },
  HTTP_WEBHOOK_SECRET: {
    parser: headerText,
    secret: true,
    help: 'What webhook callers send as X-Webhook-Secret; the channel never runs without it.',
  },
  WEBHOOK_RATE_PER_MINUTE: {
    parser: integer(1, 1_000_000),
    default: '60',
    help: 'Webhook requests a minute that one address may make.',
  },
  WEBHOOK_CALLBACK_HOSTS: {
    parser: hostNames,
    unset: 'none',
    help: 'The hosts that a callback_url may name, with the port if it is not 443.',
  },
  WEBHOOK_JOB_DAYS: { parser: integer(1, 36_500), default: '30', help: 'How many days finished jobs are kept.' },

  SERVICE_REBORN_WEBUI_TOKEN: {
    parser: token,
    unset: 'the webui-token file in REBORN_HOME',
    secret: true,
    help: "The operator's bearer token.",
  },
  TRUSTED_PROXIES: {
    parser: networks,
    unset: 'none',
    help: 'The reverse proxies whose X-Forwarded-For tells the client address.',
  },
  PUBLIC_URL: { parser: baseUrl, help: 'The address under which people reach the web gateway, for links.' },
  CHAT_RATE_PER_MINUTE: {
    parser: integer(1, 1_000_000),
    default: '30',
    help: 'Messages a minute that one user may send by chat and Responses API together.',
  },
  SIGN_IN_RATE_PER_MINUTE: {
    parser: integer(1, 1_000_000),
    default: '30',
    help: 'Attempts a minute to sign a browser in that one address may make.',
  },
  RESPONSES_TIMEOUT_SECS: {
    parser: integer(1, 86_400),
    default: '120',
    help: 'How many seconds an answer without streaming may take.',
  },

  OIDC_ISSUER: { parser: webUrl, help: 'The identity provider for single sign-on.' },
  OIDC_CLIENT_ID: { parser: text, help: 'Our client id at the identity provider.' },
  OIDC_CLIENT_SECRET: { parser: text, secret: true, help: 'Our client secret at the identity provider.' },
  OIDC_ALLOWED_DOMAINS: { parser: hostNames, unset: 'all', help: 'The email domains that may sign in.' },

  LLM_PROVIDER: {
    parser: oneOf('demo', 'openai', 'anthropic', 'google', 'openai-compatible'),
    default: 'demo',
    help: 'Who is asked for the next step; demo answers offline.',
  },
  LLM_MODEL: { parser: text, help: "The model, in the provider's own spelling." },
  LLM_BASE_URL: { parser: baseUrl, help: "The provider's address, if it is not the usual one." },
  LLM_API_KEY: { parser: token, unset: "the provider's usual variable", secret: true, help: "The provider's key." },
  LLM_CONTEXT_TOKENS: {
    parser: integer(1000, 100_000_000),
    unset: 'what is known of LLM_MODEL, or 128000',
    help: 'How many tokens the model can read; longer threads are summarised.',
  },
  LLM_TRIES: {
    parser: integer(1, 20),
    default: '4',
    help: 'How often a turn asks a model that is overloaded, broken or unreachable before it gives up.',
  },
  LLM_RETRY_SECS: {
    parser: integer(1, 600),
    default: '15',
    help: 'How many seconds the waits between these tries add up to, unless Retry-After asks for more.',
  },
  LLM_FALLBACK: {
    parser: routeNames,
    unset: 'none',
    help: 'The model routes, separated by commas, that are asked in this order when the default model fails.',
  },
  OPENAI_API_KEY: { parser: text, secret: true, help: 'Used for openai when LLM_API_KEY is not set.' },
  ANTHROPIC_API_KEY: { parser: text, secret: true, help: 'Used for anthropic when LLM_API_KEY is not set.' },
  GOOGLE_GENERATIVE_AI_API_KEY: { parser: text, secret: true, help: 'Used for google when LLM_API_KEY is not set.' },
  EMBEDDING_MODEL: { parser: text, unset: 'memory is searched by words only', help: 'The model that embeds notes.' },

  USER_TOKENS_PER_DAY: {
    parser: integer(1, 1_000_000_000_000),
    unset: 'no limit',
    help: 'The tokens that each user may use in a day (UTC).',
  },
  USER_USD_PER_DAY: {
    parser: money,
    unset: 'no limit',
    help: 'What the model calls of each user may cost in a day (UTC), in US dollars.',
  },

  DATABASE_URL: {
    parser: postgresUrl,
    unset: 'a PostgreSQL of our own in REBORN_HOME',
    secret: true,
    help: 'The PostgreSQL (15 or later) that keeps everything.',
  },
  REBORN_HOME: { parser: folder, default: '~/.reborn', help: 'The folder for everything the service keeps on disk.' },
  SECRETS_KEY: {
    parser: encryptionKey,
    unset: 'made once and kept on this machine',
    secret: true,
    help: 'The key that encrypts stored secrets; replicas must share it.',
  },
  SECRETS_KEY_PREVIOUS: {
    parser: encryptionKey,
    unset: 'none',
    secret: true,
    help: 'A second key that stored secrets may still be read with, while SECRETS_KEY is being replaced.',
  },

  OTEL_EXPORTER_OTLP_ENDPOINT: {
    parser: baseUrl,
    unset: 'not sent',
    help: 'The OpenTelemetry collector (OTLP over HTTP) that is told how each turn went.',
  },
  LOG_LEVEL: {
    parser: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    help: 'The least important log line that is written.',
  },
} as const satisfies Record<string, Option>;

export type OptionName = keyof typeof options;
