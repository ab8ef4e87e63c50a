import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findCrowded, findCycles, findFolderCycles, findViolations } from './architecture.ts';

describe('a forbidden import is found', () => {
  test.each([
    ['a folder that the table does not know', 'helpers/text.ts', '', 'helpers is not in the import table'],
    ['a file that the table does not know', 'utils.ts', '', 'utils.ts is not in the import table'],

    [
      'an import upward',
      'store/threads/threads.ts',
      "import { agent } from '#agent/agent.ts';",
      'store may import domain',
    ],
    [
      'an import sideways',
      'models/model.ts',
      "import { put } from '#store/threads/items.ts';",
      'models may import domain',
    ],
    [
      'a channel at the store',
      'channels/webhook/a.ts',
      "import { put } from '#store/threads/items.ts';",
      'may import agent',
    ],
    ['the domain at any folder', 'domain/thread/turn.ts', "import '#safety/leaks.ts';", 'domain may import nothing'],
    ['the configuration at any folder', 'config/config.ts', "import { a } from '#domain/a.ts';", 'may import nothing'],
    [
      'a folder at the configuration',
      'agent/a.ts',
      "import type { Config } from '#config/config.ts';",
      'agent may import',
    ],
    ['a folder at the composition', 'http/a.ts', "import { App } from '#app/app.ts';", 'http may import auth, domain'],
    [
      'the engine at the store',
      'engine/statements/claim.ts',
      "import type { A } from '#store/threads/turns.ts';",
      'may import domain',
    ],
    [
      'the engine at values',
      'engine/a.ts',
      "import { A } from '#store/connection.ts';",
      'the types of store/connection.ts',
    ],
    [
      'a command at the database',
      'cli/user/token.ts',
      "import { withDatabase } from '../connect/with-database.ts';",
      'a command calls the API',
    ],
    [
      'a command at a service',
      'cli/policy.ts',
      "import { setPolicy } from '#agent/gates/policy-settings.ts';",
      'a command calls the API',
    ],
    [
      'one channel at another',
      'channels/webhook/a.ts',
      "import '../gateway/b.ts';",
      'channels never import each other',
    ],
    [
      'shared code of the model APIs at one API',
      'channels/model-api/a.ts',
      "import '../responses/b.ts';",
      'channels never import each other',
    ],

    ['a relative import that leaves its folder', 'agent/a.ts', "import '../domain/a.ts';", 'begin with #'],
    ['a relative import into a folder', 'main.ts', "import './cli/serve.ts';", 'begin with #'],
    ['a # import inside a folder', 'agent/a.ts', "import '#agent/b.ts';", 'imports are relative'],
    ['an import from outside src', 'agent/a.ts', "import '../../test/fake.ts';", 'outside src'],
    ['migrations outside database', 'store/a.ts', "import '../../migrations/0100-baseline.ts';", 'outside src'],

    ['kysely outside SQL', 'agent/a.ts', "import { sql } from 'kysely';", 'only store, database, engine, cells may'],
    ['a part of kysely', 'http/a.ts', "import { a } from 'kysely/helpers/postgres';", 'imports kysely;'],
    ['pg outside SQL', 'memory/a.ts', "import pg from 'pg';", 'only store, database, engine, cells may'],
    ['fastify outside HTTP', 'agent/a.ts', "import type { A } from 'fastify';", 'only http, channels, app may'],
    ['a fastify plugin outside HTTP', 'auth/a.ts', "import a from '@fastify/cookie';", 'only http, channels, app may'],
    ['ai outside models', 'agent/a.ts', "import { streamText } from 'ai';", 'only models may'],
    ['a provider outside models', 'tools/a.ts', "import { openai } from '@ai-sdk/openai';", 'only models may'],
    ['a vendor in the composition', 'app/app.ts', "import { streamText } from 'ai';", 'only models may'],
    ['undici outside egress', 'tools/a.ts', "import { fetch } from 'undici';", 'only egress may'],
    ['ipaddr.js outside egress', 'http/a.ts', "import ipaddr from 'ipaddr.js';", 'only egress may'],
    [
      'the terminal library in another channel',
      'channels/gateway/a.ts',
      "import { TUI } from '@earendil-works/pi-tui';",
      'only terminal may',
    ],
    ['a package in the domain', 'domain/a.ts', "import { z } from 'zod';", 'domain imports no package'],

    [
      'the mark of the engine elsewhere',
      'store/a.ts',
      "sql`set app.engine = 'on'`",
      'only engine, database/migrate.ts',
    ],
    [
      'the mark of identities elsewhere',
      'store/accounts/users.ts',
      "sql`set app.identities = 'on'`",
      'identity-connection.ts may',
    ],
    [
      'a token compared elsewhere',
      'http/a.ts',
      "import { timingSafeEqual } from 'node:crypto';",
      'only domain/secret-hash.ts may',
    ],
    ['a query into a body', 'store/a.ts', "sql`body ->> 'role'`;", 'looks inside a JSON body'],
    ['a token compared by another name', 'cli/a.ts', 'crypto.timingSafeEqual(a, b);', 'only domain/secret-hash.ts may'],
    ['single sign-on elsewhere', 'http/a.ts', "import { jwtVerify } from 'jose';", 'only auth may'],
    ['the environment outside config/config.ts', 'agent/a.ts', 'const a = process.env.HOME;', 'reads process.env'],
    ['the environment by index', 'app/app.ts', "const a = globalThis.process['env'];", 'reads process.env'],
    ['the environment by pattern', 'cli/a.ts', 'const { env } = process;', 'reads process.env'],
    ['the environment by import', 'http/a.ts', "import { env } from 'node:process';", 'reads process.env'],
  ])('%s', (_name, path, text, problem) => {
    expect(findViolations([{ path, text }])).toEqual([expect.stringContaining(problem)]);
  });

  test.each([
    "import { a } from 'ai';",
    "import type { A } from 'ai';",
    'import\n  a, { b as from }\nfrom "ai";',
    "import * as a from 'ai';",
    "import 'ai';",
    "export { a } from 'ai';",
    "export type { A } from 'ai';",
    "export * from 'ai';",
    "export * as a from 'ai';",
    "const a = await import('ai');",
    'const a = await import(`ai`);',
    "type A = import('ai').A;",
    "type A = typeof import('ai');",
    "import a = require('ai');",
    "const a = require('ai');",
    "const quote = /['\"]/; import { a } from 'ai'; // '",
  ])('in every form of import: %s', (text) => {
    expect(findViolations([{ path: 'agent/a.ts', text }])).toEqual(['agent/a.ts: imports ai; only models may']);
  });
});

describe('an allowed import passes', () => {
  test.each([
    ['main.ts', "import { serve } from '#cli/serve.ts'; import { readConfig } from '#config/config.ts'; readConfig();"],
    ['app/app.ts', "import '#engine/queue.ts'; import '#channels/gateway/routes.ts'; import fastify from 'fastify';"],
    ['cli/serve.ts', "import '#app/app.ts'; import '#config/config.ts'; import manifest from '../../package.json';"],
    ['config/config.ts', "import { options } from './options.ts'; process.env.HOME;"],
    ['config/config.test.ts', "import { readConfig } from './config.ts'; process.env.HOME;"],
    ['channels/gateway/chat/send.ts', "import '../routes.ts'; import '#agent/agent.ts'; import '@fastify/websocket';"],
    ['terminal/screen/screen.ts', "import { TUI } from '@earendil-works/pi-tui';"],
    ['engine/a.ts', "import type { A } from '#store/connection.ts'; import pg from 'pg';"],
    ['engine/queue.ts', "import { type A } from '#store/connection.ts'; import pg from 'pg';"],
    ['database/migrate.ts', "import * as threads from '../../migrations/0100-baseline.ts'; import 'kysely';"],
    ['tools/builtin/clock.ts', "import '../registry.ts'; import 'node:fs';"],
    ['domain/ids.ts', "import { randomBytes } from 'node:crypto'; import './turn.ts';"],
    ['models/openai.ts', "import { openai } from '@ai-sdk/openai'; import { streamText } from 'ai';"],
    ['agent/a.ts', "// import 'ai'\nconst text = `from 'ai' and process.env`; const api = \"import 'pg'\";"],
    ['agent/a.ts', "import { z } from 'zod'; import '@airline/ai'; import 'aim'; import 'pg-format';"],
    [
      'agent/a.test.ts',
      "import pg from 'pg'; import '#database/open.ts'; import '../../test/fake.ts'; process.env.CI;",
    ],
  ])('%s: %s', (path, text) => {
    expect(findViolations([{ path, text }])).toEqual([]);
  });
});

test('a test beside the code must not import upward either', () => {
  expect(findViolations([{ path: 'store/a.test.ts', text: "import '#agent/agent.ts';" }])).toHaveLength(1);
});

test('a circle of imports is found, also one of types alone', () => {
  const files = [
    { path: 'agent/a.ts', text: "import { b } from './b.ts';" },
    { path: 'agent/b.ts', text: "import type { C } from '#domain/c.ts';" },
    { path: 'domain/c.ts', text: "import type { A } from '#agent/a.ts';" },
    { path: 'domain/d.ts', text: "import type { C } from './c.ts';" },
  ];
  expect(findCycles(files)).toEqual([['agent/a.ts', 'agent/b.ts', 'domain/c.ts', 'agent/a.ts']]);
  expect(findCycles(files.slice(1))).toEqual([]);
});

test('a circle of folders is found, though no files make one', () => {
  const files = [
    { path: 'agent/turn/a.ts', text: "import { B } from '../gates/b.ts';" },
    { path: 'agent/gates/b.ts', text: '' },
    { path: 'agent/gates/c.ts', text: "import type { D } from '../turn/d.ts';" },
  ];
  expect(findFolderCycles(files, 'agent')).toEqual([['agent/turn', 'agent/gates', 'agent/turn']]);
  expect(findFolderCycles(files, 'engine')).toEqual([]);
  expect(findFolderCycles(files.slice(0, 2), 'agent')).toEqual([]);
});

test('a folder of more than twenty files is found', () => {
  const files = Array.from({ length: 21 }, (_, index) => ({ path: `agent/${index}.ts`, text: '' }));
  expect(findCrowded(files)).toEqual(['agent']);
  expect(findCrowded([...files.slice(1), { path: 'agent/a.test.ts', text: '' }])).toEqual([]);
});

describe('src/', () => {
  const root = join(import.meta.dirname, '../src');
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const files = paths.map((path) => ({
    path: path.replaceAll(sep, '/'),
    text: readFileSync(join(root, path), 'utf8'),
  }));

  test('keeps to the import table', () => {
    expect(files.map((file) => file.path)).toContain('config/config.ts');
    expect(findViolations(files)).toEqual([]);
  });

  test('has no circle of imports', () => {
    expect(findCycles(files)).toEqual([]);
  });

  test('has no circle of folders in agent/', () => {
    expect(findFolderCycles(files, 'agent')).toEqual([]);
  });

  test('has no folder of more than twenty files', () => {
    expect(findCrowded(files)).toEqual([]);
  });
});
