import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { explainOptions, readConfig, readEnvironment, readForeignVariable } from './config.ts';
import { ConfigError } from './config-error.ts';
import { type Option, options } from './options.ts';

describe('without any setting', () => {
  test("the defaults are the spec's, and the demo model answers", () => {
    expect(readConfig({})).toEqual({
      cli: { enabled: true },
      gateway: { enabled: true, host: '127.0.0.1', port: 3000, allowedHosts: [], authToken: undefined },
      webhook: { enabled: false, host: '0.0.0.0', port: 8080, ratePerMinute: 60, callbackHosts: [], jobDays: 30 },
      operatorToken: undefined,
      trustedProxies: [],
      corsOrigins: [],
      publicUrl: undefined,
      chatRatePerMinute: 30,
      signInRatePerMinute: 30,
      shareLinks: true,
      responsesTimeoutSecs: 120,
      responsesTools: { maxBytes: 16_384, unknownTools: 'refuse', hosted: [] },
      oidc: undefined,
      model: {
        provider: 'demo',
        name: 'demo',
        baseUrl: undefined,
        apiKey: undefined,
        contextTokens: undefined,
        fallback: [],
        retries: { tries: 4, seconds: 15 },
        apiKeys: {},
      },
      embeddingModel: undefined,
      mcpToolsInPrompt: 30,
      titleModel: { enabled: true, route: undefined },
      mcpLocalServers: false,
      toolJailRequires: [],
      sandbox: { enabled: true, runners: [], requires: ['network', 'files', 'processes'], hosts: [] },
      search: { safe: 'moderate', only: [], not: [], perDay: { searches: 100, pages: 300 } },
      workspaces: { workspaceBytes: 256_000_000, userBytes: 10_000_000_000 },
      delegation: { depth: 1, active: 6, perRun: 20, perTree: 50, tokensPerChild: 200_000 },
      spending: { tokensPerDay: null, usdPerDay: null },
      databaseUrl: undefined,
      databaseConnections: 10,
      home: join(homedir(), '.reborn'),
      remote: undefined,
      secretsKey: undefined,
      secretsKeyPrevious: undefined,
      attachmentsBucket: undefined,
      otelEndpoint: undefined,
      logLevel: 'info',
      logFormat: 'auto',
    });
  });

  test('an empty or blank value counts as unset', () => {
    const names = Object.keys(options);
    expect(readConfig(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(readConfig({}));
    expect(readConfig(Object.fromEntries(names.map((name) => [name, ' \t'])))).toEqual(readConfig({}));
  });

  test('other variables of the environment are ignored', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (env) => {
        const foreign = Object.fromEntries(Object.entries(env).filter(([name]) => !Object.hasOwn(options, name)));
        expect(readConfig(foreign)).toEqual(readConfig({}));
      }),
    );
  });
});

test('commands use a remote service only with its address and a token', () => {
  expect(readConfig({ REBORN_URL: 'https://agent.example.com' }).remote).toBeUndefined();
  expect(readConfig({ REBORN_TOKEN: 'token-of-ann' }).remote).toBeUndefined();
});

test('every option is read into the configuration', () => {
  const config = readConfig({
    CLI_ENABLED: 'no',
    GATEWAY_ENABLED: 'yes',
    GATEWAY_HOST: '0.0.0.0',
    GATEWAY_PORT: '4000',
    GATEWAY_ALLOWED_HOSTS: 'agent.example.com, Box.example.com',
    GATEWAY_AUTH_TOKEN: 'gateway-token',
    HTTP_ENABLED: 'true',
    HTTP_HOST: '::1',
    HTTP_PORT: '0',
    HTTP_WEBHOOK_SECRET: 'correct horse',
    WEBHOOK_RATE_PER_MINUTE: '61',
    WEBHOOK_CALLBACK_HOSTS: 'hooks.example.com:443, other.example.com:8443, 127.0.0.1',
    WEBHOOK_JOB_DAYS: '7',
    SERVICE_REBORN_WEBUI_TOKEN: 'operator-token',
    TRUSTED_PROXIES: '10.0.0.0/8, ::1',
    CORS_ORIGINS: 'https://app.example.com, http://localhost:5173',
    PUBLIC_URL: 'https://reborn.example.com/',
    CHAT_RATE_PER_MINUTE: '31',
    SIGN_IN_RATE_PER_MINUTE: '32',
    SHARE_LINKS: 'false',
    RESPONSES_TIMEOUT_SECS: '30',
    RESPONSES_TOOLS_MAX_BYTES: '32768',
    RESPONSES_UNKNOWN_TOOLS: 'ignore',
    RESPONSES_HOSTED_TOOLS: 'shell, code_interpreter, web_search, file_search',
    OIDC_ISSUER: 'https://id.example.com/',
    OIDC_CLIENT_ID: 'reborn',
    OIDC_CLIENT_SECRET: 'oidc-secret',
    OIDC_ALLOWED_DOMAINS: 'Example.com,example.org',
    LLM_PROVIDER: 'openai-compatible',
    LLM_MODEL: 'llama',
    LLM_BASE_URL: 'http://127.0.0.1:11434/v1/',
    LLM_API_KEY: 'model-key',
    LLM_CONTEXT_TOKENS: '32000',
    LLM_TRIES: '2',
    LLM_RETRY_SECS: '5',
    LLM_FALLBACK: 'fast, careful',
    MCP_TOOLS_IN_PROMPT: '50',
    MCP_LOCAL_SERVERS: 'true',
    TOOL_JAIL_REQUIRES: 'network,files',
    SANDBOX: 'off',
    SANDBOX_RUNNERS: 'runners:7070,[fd00::1]:7071',
    SANDBOX_REQUIRES: 'calls, network',
    SANDBOX_HOSTS: 'pypi.org, Files.PythonHosted.org',
    WORKSPACE_QUOTA_MB: '100',
    USER_STORAGE_MB: '2000',
    EMBEDDING_MODEL: 'embedder',
    TITLE_MODEL: 'small',
    SEARCH_ENGINE: 'brave',
    SEARCH_URL: 'http://searxng:8080/',
    SEARCH_API_KEY: 'search-key',
    SEARCH_SAFE: 'strict',
    SEARCH_LANGUAGE: 'de',
    SEARCH_COUNTRY: 'DE',
    SEARCH_ONLY: 'Example.com',
    SEARCH_NOT: 'example.org, example.net',
    USER_SEARCHES_PER_DAY: '5',
    USER_PAGES_PER_DAY: '6',
    AGENT_DEPTH: '2',
    AGENT_CHILDREN_AT_ONCE: '2',
    AGENT_CHILDREN_PER_RUN: '3',
    AGENT_CHILDREN_PER_TREE: '4',
    AGENT_TOKENS_PER_CHILD: '5000',
    USER_TOKENS_PER_DAY: '500000',
    USER_USD_PER_DAY: '2.50',
    DATABASE_URL: 'postgres://ann:pw@db:5432/reborn',
    DATABASE_CONNECTIONS: '40',
    REBORN_HOME: '/srv/reborn',
    REBORN_URL: 'https://agent.example.com/',
    REBORN_TOKEN: 'token-of-ann',
    SECRETS_KEY: 'ab'.repeat(32),
    SECRETS_KEY_PREVIOUS: 'cd'.repeat(32),
    ATTACHMENTS_BUCKET: 'reborn-files',
    ATTACHMENTS_ENDPOINT: 'https://s3.example.com/',
    ATTACHMENTS_REGION: 'eu-central-1',
    ATTACHMENTS_ACCESS_KEY_ID: 'key-id',
    ATTACHMENTS_SECRET_ACCESS_KEY: 'key-secret',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    LOG_LEVEL: 'DEBUG',
    LOG_FORMAT: 'JSON',
  });

  expect(config).toEqual({
    cli: { enabled: false },
    gateway: {
      enabled: true,
      host: '0.0.0.0',
      port: 4000,
      allowedHosts: ['agent.example.com', 'box.example.com'],
      authToken: 'gateway-token',
    },
    webhook: {
      enabled: true,
      host: '::1',
      port: 0,
      secret: 'correct horse',
      ratePerMinute: 61,
      callbackHosts: ['hooks.example.com', 'other.example.com:8443', '127.0.0.1'],
      jobDays: 7,
    },
    operatorToken: 'operator-token',
    trustedProxies: ['10.0.0.0/8', '::1'],
    corsOrigins: ['https://app.example.com', 'http://localhost:5173'],
    publicUrl: 'https://reborn.example.com',
    chatRatePerMinute: 31,
    signInRatePerMinute: 32,
    shareLinks: false,
    responsesTimeoutSecs: 30,
    responsesTools: {
      maxBytes: 32_768,
      unknownTools: 'ignore',
      hosted: ['shell', 'code_interpreter', 'web_search', 'file_search'],
    },
    oidc: {
      issuer: 'https://id.example.com/',
      clientId: 'reborn',
      clientSecret: 'oidc-secret',
      allowedDomains: ['example.com', 'example.org'],
    },
    model: {
      provider: 'openai-compatible',
      name: 'llama',
      baseUrl: 'http://127.0.0.1:11434/v1',
      apiKey: 'model-key',
      contextTokens: 32_000,
      fallback: ['fast', 'careful'],
      retries: { tries: 2, seconds: 5 },
      apiKeys: { 'openai-compatible': 'model-key' },
    },
    embeddingModel: 'embedder',
    mcpToolsInPrompt: 50,
    titleModel: { enabled: true, route: 'small' },
    mcpLocalServers: true,
    toolJailRequires: ['network', 'files'],
    sandbox: {
      enabled: false,
      runners: [
        { host: 'runners', port: 7070 },
        { host: 'fd00::1', port: 7071 },
      ],
      requires: ['calls', 'network'],
      hosts: ['pypi.org', 'files.pythonhosted.org'],
    },
    search: {
      engine: 'brave',
      baseUrl: 'http://searxng:8080',
      apiKey: 'search-key',
      safe: 'strict',
      language: 'de',
      country: 'DE',
      only: ['example.com'],
      not: ['example.org', 'example.net'],
      perDay: { searches: 5, pages: 6 },
    },
    workspaces: { workspaceBytes: 100_000_000, userBytes: 2_000_000_000 },
    delegation: { depth: 2, active: 2, perRun: 3, perTree: 4, tokensPerChild: 5000 },
    spending: { tokensPerDay: 500_000, usdPerDay: 2.5 },
    databaseUrl: 'postgres://ann:pw@db:5432/reborn',
    databaseConnections: 40,
    home: '/srv/reborn',
    remote: { url: 'https://agent.example.com', token: 'token-of-ann' },
    secretsKey: Buffer.alloc(32, 0xab),
    secretsKeyPrevious: Buffer.alloc(32, 0xcd),
    attachmentsBucket: {
      name: 'reborn-files',
      endpoint: 'https://s3.example.com',
      region: 'eu-central-1',
      accessKeyId: 'key-id',
      secretAccessKey: 'key-secret',
    },
    otelEndpoint: 'http://collector:4318',
    logLevel: 'debug',
    logFormat: 'json',
  });
});

describe('values', () => {
  test.each([
    ['true', true],
    ['TRUE', true],
    ['1', true],
    ['Yes', true],
    ['false', false],
    ['False', false],
    ['0', false],
    ['NO', false],
  ])('the boolean %s is %s', (text, value) => {
    expect(readConfig({ CLI_ENABLED: text }).cli.enabled).toBe(value);
  });

  test('a port is a whole number from 0 to 65535, and nothing else', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 65_535 }), (port) => {
        expect(readConfig({ GATEWAY_PORT: String(port) }).gateway.port).toBe(port);
      }),
    );
    for (const text of ['-1', '65536', '3e3', '0x10', '80.5', '80 80', 'Infinity', '٣'])
      expect(problemsOf({ GATEWAY_PORT: text })).toEqual([
        `GATEWAY_PORT is "${text}"; it must be a port from 0 to 65535 (0 picks a free one).`,
      ]);
  });

  test('an amount of money is above 0', () => {
    expect(readConfig({ USER_USD_PER_DAY: '0.05' }).spending.usdPerDay).toBe(0.05);
    for (const text of ['0', '0.00', '-1', '1e3', '.5', '$5', '1,50'])
      expect(problemsOf({ USER_USD_PER_DAY: text })).toEqual([
        `USER_USD_PER_DAY is "${text}"; it must be an amount above 0, such as 5 or 0.50.`,
      ]);
  });

  test.each([
    ['~', homedir()],
    ['~/agents', join(homedir(), 'agents')],
    ['/srv/~x/', '/srv/~x'],
    ['~ann', join(process.cwd(), '~ann')],
    ['relative', join(process.cwd(), 'relative')],
  ])('the home folder %s becomes an absolute path', (text, folder) => {
    expect(readConfig({ REBORN_HOME: text }).home).toBe(folder);
  });

  test('cells have a weight of 100 unless they name another one, and every cell must be listed', () => {
    const env = { CELL: '2', CELLS: '1, 2:50, 3:0', CELL_REGISTRARS: '1,3', SECRETS_KEY: 'ab'.repeat(32) };

    expect(readConfig(env).placement).toMatchObject({
      cells: [
        { cell: 1, weight: 100 },
        { cell: 2, weight: 50 },
        { cell: 3, weight: 0 },
      ],
      registrars: [1, 3],
    });
    expect(problemsOf({ ...env, CELL: '4' })).toEqual([expect.stringMatching(/^CELLS must list cell 4, too/)]);
    expect(problemsOf({ ...env, CELL_REGISTRARS: '1,5' })).toEqual([expect.stringMatching(/^CELLS must list cell 5/)]);
    expect(problemsOf({ ...env, CELLS: '1:0,2:0,3:0' })).toEqual([
      expect.stringContaining('one cell a weight above 0'),
    ]);
    expect(problemsOf({ CELLS: '1' })).toEqual(
      ['CELL', 'CELL_REGISTRARS', 'SECRETS_KEY'].map((name) =>
        expect.stringMatching(`^${name} must be set when CELLS is set`),
      ),
    );
  });

  test('lists are trimmed, and empty entries are dropped', () => {
    expect(readConfig({ TRUSTED_PROXIES: ' 10.1.2.3 ,, 192.168.0.0/16,' }).trustedProxies).toEqual([
      '10.1.2.3',
      '192.168.0.0/16',
    ]);
  });

  test('a trusted proxy can be any IP address or range', () => {
    const ranges = fc.oneof(
      fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })),
      fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })),
    );
    fc.assert(
      fc.property(fc.array(ranges, { minLength: 1 }), (entries) => {
        const networks = entries.flatMap(([address, bits]) => [address, `${address}/${bits}`]);
        expect(readConfig({ TRUSTED_PROXIES: networks.join(' , ') }).trustedProxies).toEqual(networks);
      }),
    );
  });

  test.each([
    ['TRUSTED_PROXIES', ['10.0.0.0/33', '::1/129', '10.0.0.1/', '10.0.0.1/8/8', 'proxy.local', '10.0.0.256']],
    ['CORS_ORIGINS', ['*', 'app.example.com', 'https://app.example.com/', 'https://app.example.com/x', 'null']],
    ['SANDBOX_HOSTS', ['https://a.example', 'a.example:443', '*.example', 'example', '10.0.0.1', 'a.example.']],
    ['WEBHOOK_CALLBACK_HOSTS', ['https://a.example', 'a.example/x', '*.example', 'a..example', '-a.example']],
    ['OIDC_ALLOWED_DOMAINS', ['ann@example.com', 'example.com;example.org']],
    ['GATEWAY_HOST', ['127.0.0.256', 'http://localhost', 'local host', '127.0.0.1:3000', '[::1]']],
    ['PUBLIC_URL', ['reborn.example.com', 'ftp://reborn.example.com', 'https://', 'https://a.example/?x=1']],
    ['REBORN_URL', ['agent.example.com']],
    ['LLM_BASE_URL', ['localhost:11434', 'https://a.example/#x']],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', ['collector:4318']],
    ['OIDC_ISSUER', ['id.example.com']],
    ['ATTACHMENTS_BUCKET', ['ab', 'Files', 'files/old', '-files', 'a'.repeat(64)]],
    ['ATTACHMENTS_ENDPOINT', ['s3.example.com']],
    ['LOG_LEVEL', ['verbose', 'warning']],
    ['LLM_PROVIDER', ['openrouter', 'constructor']],
    ['CLI_ENABLED', ['on', 'enabled', '2', '__proto__', 'constructor', 'toString']],
    ['RESPONSES_TIMEOUT_SECS', ['0', '-5', '1.5', '2m', '86401']],
    ['RESPONSES_TOOLS_MAX_BYTES', ['0', '16383', '32k', '1048577']],
    ['RESPONSES_UNKNOWN_TOOLS', ['true', 'serve']],
    ['RESPONSES_HOSTED_TOOLS', ['true', 'shell,image_generation']],
    ['TOOL_JAIL_REQUIRES', ['all', 'user', 'network;files']],
    ['SANDBOX', ['true', 'docker', 'none']],
    [
      'SANDBOX_RUNNERS',
      ['runners', 'runners:', 'runners:0', 'a:1,b', '10.0.0.256:7070', 'fd00::1:7070', '[runners]:7070'],
    ],
    ['CHAT_RATE_PER_MINUTE', ['0', 'unlimited']],
    ['WEBHOOK_RATE_PER_MINUTE', ['0']],
    ['WEBHOOK_JOB_DAYS', ['0', '36501']],
    ['CELLS', ['0', '1,4096', '1:', '1:x', '1:10001', '1,2,1', 'one', ',']],
    ['CELL_REGISTRARS', ['0', '1,2,1', '1:100', ',']],
    ['DATABASE_CONNECTIONS', ['5', '1001', 'many']],
  ] as const)('the error for a wrong %s names its value and the valid ones', (name, wrong) => {
    for (const text of wrong) {
      const { expects } = options[name].parser;
      expect(problemsOf({ [name]: text })).toEqual([`${name} is "${text}"; it must be ${expects}.`]);
    }
  });

  test.each([
    'postgres://ann:p%2Fw@db.example.com:5432/reborn?sslmode=require',
    'postgresql://localhost/reborn',
    'postgres:///reborn?host=/run/postgresql',
    'postgres://ann@/reborn?host=/run/postgresql',
  ])('DATABASE_URL accepts %s', (url) => {
    expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
  });

  test('SECRETS_KEY is 32 bytes in hex or base64', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const key = Buffer.from(bytes);
        for (const encoding of ['hex', 'base64', 'base64url'] as const)
          expect(readConfig({ SECRETS_KEY: key.toString(encoding) }).secretsKey).toEqual(key);
      }),
    );
    expect(problemsOf({ SECRETS_KEY: 'ab'.repeat(31) })).toHaveLength(1);
  });
});

describe('the webhook channel', () => {
  test('is enabled exactly when it has a secret, unless HTTP_ENABLED says otherwise', () => {
    expect(readConfig({ HTTP_WEBHOOK_SECRET: 's' }).webhook).toMatchObject({ enabled: true, secret: 's' });
    expect(readConfig({ HTTP_ENABLED: 'true', HTTP_WEBHOOK_SECRET: 's' }).webhook.enabled).toBe(true);
    expect(readConfig({ HTTP_ENABLED: 'false', HTTP_WEBHOOK_SECRET: 's' }).webhook.enabled).toBe(false);
    expect(readConfig({ HTTP_ENABLED: 'false' }).webhook.enabled).toBe(false);
  });

  test('never runs without a secret: the error says how to create one', () => {
    expect(problemsOf({ HTTP_ENABLED: 'true' })).toEqual([
      'HTTP_WEBHOOK_SECRET must be set when HTTP_ENABLED is true; create one with `openssl rand -hex 32`.',
    ]);
  });

  test('a secret that is not valid in a header is refused, and not reported as missing', () => {
    const problem = 'HTTP_WEBHOOK_SECRET has an invalid value; it must be printable ASCII.';
    expect(problemsOf({ HTTP_ENABLED: 'true', HTTP_WEBHOOK_SECRET: 'schlüssel' })).toEqual([problem]);
    expect(problemsOf({ CLI_ENABLED: 'false', GATEWAY_ENABLED: 'false', HTTP_WEBHOOK_SECRET: 'schlüssel' })).toEqual([
      problem,
    ]);
  });
});

test('with all three channels off the start is refused', () => {
  const off = { CLI_ENABLED: 'false', GATEWAY_ENABLED: 'false' };
  expect(problemsOf(off)).toEqual([
    'CLI_ENABLED, GATEWAY_ENABLED and HTTP_ENABLED are all off, so the service could not be reached; turn one on.',
  ]);
  expect(problemsOf({ ...off, HTTP_ENABLED: 'false', HTTP_WEBHOOK_SECRET: 's' })).toHaveLength(1);
  expect(readConfig({ ...off, HTTP_WEBHOOK_SECRET: 's' }).webhook.enabled).toBe(true);
  expect(problemsOf({ ...off, HTTP_ENABLED: 'true' })).toEqual([expect.stringContaining('HTTP_WEBHOOK_SECRET')]);
});

describe('the model', () => {
  test.each([
    ['openai', 'OPENAI_API_KEY'],
    ['anthropic', 'ANTHROPIC_API_KEY'],
    ['google', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  ])('%s needs a model and a key; the key may be in %s', (provider, usual) => {
    const chosen = { LLM_PROVIDER: provider, LLM_MODEL: 'm' };

    expect(problemsOf({ LLM_PROVIDER: provider })).toEqual([
      `LLM_MODEL must be set when LLM_PROVIDER is ${provider}.`,
      `LLM_API_KEY must be set (or ${usual}) when LLM_PROVIDER is ${provider}.`,
    ]);
    expect(readConfig({ ...chosen, [usual]: 'usual' }).model).toMatchObject({ provider, name: 'm', apiKey: 'usual' });
    expect(readConfig({ ...chosen, [usual]: 'usual', LLM_API_KEY: 'ours' }).model.apiKey).toBe('ours');
  });

  test('openai-compatible needs a model and an address, but no key', () => {
    const chosen = { LLM_PROVIDER: 'openai-compatible', OPENAI_API_KEY: 'not for strangers' };

    expect(problemsOf(chosen)).toEqual([
      'LLM_MODEL must be set when LLM_PROVIDER is openai-compatible.',
      'LLM_BASE_URL must be set when LLM_PROVIDER is openai-compatible.',
    ]);
    expect(readConfig({ ...chosen, LLM_MODEL: 'm', LLM_BASE_URL: 'http://localhost:1' }).model.apiKey).toBeUndefined();
  });

  test('a mistyped address is not also reported as missing', () => {
    expect(problemsOf({ LLM_PROVIDER: 'openai-compatible', LLM_MODEL: 'm', LLM_BASE_URL: 'localhost:11434' })).toEqual([
      expect.stringContaining('LLM_BASE_URL is "localhost:11434"'),
    ]);
  });

  test('the usual keys of the other providers are kept for routes that use them', () => {
    const keys = { OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a', GOOGLE_GENERATIVE_AI_API_KEY: 'g' };
    const config = readConfig({ ...keys, LLM_PROVIDER: 'openai', LLM_MODEL: 'm', LLM_API_KEY: 'ours' });

    expect(config.model.apiKeys).toEqual({ openai: 'ours', anthropic: 'a', google: 'g' });
  });

  test("a provider's usual key alone changes nothing", () => {
    expect(readConfig({ OPENAI_API_KEY: 'k' }).model).toMatchObject({ provider: 'demo', apiKey: undefined });
  });
});

test('runners are used if there are any, unless bubblewrap is asked for', () => {
  const runners = { SANDBOX_RUNNERS: '127.0.0.1:7070' };
  const found = [{ host: '127.0.0.1', port: 7070 }];
  expect(readConfig(runners).sandbox).toMatchObject({ enabled: true, runners: found });
  expect(readConfig({ ...runners, SANDBOX: 'runners' }).sandbox).toMatchObject({ enabled: true, runners: found });
  expect(readConfig({ ...runners, SANDBOX: 'bubblewrap' }).sandbox).toMatchObject({ enabled: true, runners: [] });
  expect(problemsOf({ SANDBOX: 'runners' })).toEqual([expect.stringContaining('SANDBOX_RUNNERS')]);
});

test('a bucket needs an endpoint and credentials', () => {
  expect(problemsOf({ ATTACHMENTS_BUCKET: 'files' })).toEqual(
    ['ENDPOINT', 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY'].map(
      (name) => `ATTACHMENTS_${name} must be set when ATTACHMENTS_BUCKET is set.`,
    ),
  );
});

describe('single sign-on', () => {
  test('an issuer needs a client id', () => {
    expect(problemsOf({ OIDC_ISSUER: 'https://id.example.com' })).toEqual([
      'OIDC_CLIENT_ID must be set when OIDC_ISSUER is set.',
    ]);
  });

  test('is off without an issuer, and open to all domains unless they are listed', () => {
    expect(readConfig({ OIDC_CLIENT_ID: 'reborn' }).oidc).toBeUndefined();
    expect(readConfig({ OIDC_CLIENT_ID: 'reborn', OIDC_ISSUER: 'https://id.example.com' }).oidc).toMatchObject({
      allowedDomains: undefined,
    });
  });
});

describe('a wrong setting', () => {
  test('stops the start with every problem listed', () => {
    const read = () =>
      readConfig({ GATEWAY_PORT: 'x', LOG_LEVEL: 'loud', HTTP_ENABLED: 'true', LLM_PROVIDER: 'openai' });

    expect(read).toThrow(ConfigError);
    expect(problemsOf({ GATEWAY_PORT: 'x', LOG_LEVEL: 'loud', HTTP_ENABLED: 'true', LLM_PROVIDER: 'openai' })).toEqual([
      expect.stringMatching(/^GATEWAY_PORT is "x"/),
      expect.stringMatching(/^LOG_LEVEL is "loud"/),
      expect.stringMatching(/^HTTP_WEBHOOK_SECRET must be set/),
      expect.stringMatching(/^LLM_MODEL must be set/),
      expect.stringMatching(/^LLM_API_KEY must be set/),
    ]);
    expect(read).toThrow(/^The configuration is invalid:\n- GATEWAY_PORT .*\n- LOG_LEVEL .*\n- HTTP_WEBHOOK_SECRET /);
  });

  test('never shows a secret, nor the password inside an address', () => {
    const problems = [
      ...problemsOf({
        DATABASE_URL: 'mysql://ann:hunter2@db/reborn',
        SECRETS_KEY: 'hunter2',
        LLM_API_KEY: 'hunter2 ü',
      }),
      ...problemsOf({ GATEWAY_AUTH_TOKEN: 'hunter2 x', SERVICE_REBORN_WEBUI_TOKEN: 'hunter2 y' }),
      ...problemsOf({ PUBLIC_URL: 'ftp://ann:hunter2@example.com', HTTP_WEBHOOK_SECRET: 'hunter2ü' }),
    ];

    expect(problems).toHaveLength(7);
    expect(problems.join()).not.toContain('hunter2');
  });

  test('any environment gives a configuration or a ConfigError, never another failure', () => {
    const value = fc.oneof(fc.string(), fc.constantFrom('true', 'false', '1', 'openai', 'https://a.example', '::1'));
    const environment = fc.dictionary(fc.constantFrom(...Object.keys(options)), value);
    fc.assert(
      fc.property(environment, (env) => {
        const problems = problemsOf(env);
        expect(new Set(problems).size).toBe(problems.length);
      }),
    );
  });
});

describe('a variable that a tool names', () => {
  test('is read, and an empty value counts as unset', () => {
    const env = { WEATHER_KEY: ' k ', EMPTY: ' ' };

    expect(['WEATHER_KEY', 'EMPTY', 'ABSENT', 'toString'].map((name) => readForeignVariable(name, env))).toEqual([
      'k',
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("is never one of the service's own settings", () => {
    const env = Object.fromEntries(
      Object.keys(options).flatMap((name) => [
        [name, 'k'],
        [name.toLowerCase(), 'k'],
      ]),
    );

    for (const name of Object.keys(env)) expect(readForeignVariable(name, env)).toBeUndefined();
  });
});

test('every option has a line of help, and a default or a text for being unset', () => {
  for (const option of Object.values<Option>(options)) {
    expect(option.help).toMatch(/^[A-Z].*\.$/);
    expect(option).not.toMatchObject({ default: expect.anything(), unset: expect.anything() });
  }
});

function problemsOf(env: NodeJS.ProcessEnv): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe('settings.env in the home folder', () => {
  test('overrides the defaults, and is overridden by the environment', () => {
    const env = homeWith('GATEWAY_PORT=4000\nLOG_LEVEL=warn\nLLM_API_KEY=sk-of-mine\n', {
      LOG_LEVEL: 'debug',
      LOG_FORMAT: 'json',
      GATEWAY_PORT: ' ',
    });
    expect(readConfig(readEnvironment(env))).toMatchObject({ gateway: { port: 4000 }, logLevel: 'debug' });
    const explained = Object.fromEntries(explainOptions(env).map(({ name, ...rest }) => [name, rest]));
    expect(explained['GATEWAY_PORT']).toMatchObject({ value: '4000', source: 'settings.env' });
    expect(explained['LOG_LEVEL']).toMatchObject({ value: 'debug', source: 'environment' });
    expect(explained['HTTP_PORT']).toMatchObject({ value: '8080', source: 'default' });
    expect(explained['LLM_MODEL']).toMatchObject({ value: null, source: 'unset' });
    expect(JSON.stringify(explained)).not.toContain('sk-of-mine');
  });

  test('a line with an unknown option stops the start', () => {
    expect(() => readEnvironment(homeWith('GATEWAY_PROT=4000\n'))).toThrow(
      'settings.env sets the unknown option GATEWAY_PROT',
    );
  });

  test('settings.env cannot change the home folder', () => {
    const env = homeWith('REBORN_HOME=/elsewhere\n');
    expect(readConfig(readEnvironment(env)).home).toBe(env['REBORN_HOME']);
  });

  function homeWith(settings: string, env: Record<string, string> = {}): NodeJS.ProcessEnv {
    const home = mkdtempSync(join(tmpdir(), 'reborn-config-'));
    onTestFinished(() => rmSync(home, { recursive: true }));
    writeFileSync(join(home, 'settings.env'), settings);
    return { ...env, REBORN_HOME: home };
  }
});
