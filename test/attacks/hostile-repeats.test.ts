// @module-tag slow
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { readNothing } from '#domain/tool/read-so-far.test-support.ts';

/** Folders whose exported functions get text that strangers, servers or models wrote. */
const FOLDERS = [
  'agent',
  'auth',
  'channels',
  'domain',
  'egress',
  'http',
  'memory',
  'models',
  'safety',
  'search',
  'tools',
];

/** The further arguments of functions that need more than texts and numbers. */
const ARGUMENTS: Record<string, readonly unknown[]> = {
  'agent/administration/models/stored-providers.ts wantedProvider': [{ baseUrl: 'https://models.example/v1' }],
  'agent/chats/incoming/choose-assistant.ts assistantFor': [{ assistant: null }],
  'agent/chats/outgoing/composed-links.ts withComposedAsCode': [readNothing({ situation: 'foreign' })],
  'agent/turn/answer-format.ts askAgain': ['problem', {}],
  'agent/outbox/post-signed.ts parseRetryAfter': [0],
  'agent/workspace/change-files.ts storing': [Buffer.of(), true],
  'channels/gateway/users/token-routes.ts resolveMe': [{ userId: 'a' }],
  'channels/webhook/callback-url.ts checkCallbackUrl': [{ hosts: ['a.example'] }],
  'channels/webhook/callback-url.ts isCallbackAllowed': [{ hosts: ['a.example'] }],
  'channels/webhook/delivery.ts parseFreshTimestamp': [new Date(), 'header'],
  'domain/search/citations.ts checkCitations': [[]],
  'domain/search/cited-text.ts citeText': [{ marks: [], sources: [] }, () => '[1]'],
  'domain/search/cited-text.ts withSourceList': [{ marks: [], sources: [] }],
  'domain/text/near-name.ts findNearName': [['memory_write']],
  'domain/workspace/path.ts pathFor': [() => false],
  'domain/workspace/path.ts pathBeside': [() => false],
  'http/server/known-hosts.ts isKnownHost': [{ bindHost: '127.0.0.1', names: ['a.example'] }],
  'safety/addresses/judge-address.ts judgeAddress': [readNothing({ situation: 'both', hasPrivate: true })],
};

const SAME_RENDERER = 'renderHtml is the same renderer';
const NOT_FOREIGN = 'gets no text of others';
const SIGNED = 'the text is a secret of the operator';
const PATH = 'gets the path of a file of the operator';
const IN_WORKERS = 'runs in worker threads, with a deadline';

/** Functions that are left out, and why. */
const LEFT_OUT: Record<string, string> = {
  'agent/gates/call-card.ts withTemplates': 'looks up a name',
  'tools/builtin/cards/card-words.ts field': NOT_FOREIGN,
  'agent/gates/read-so-far.ts readBefore': NOT_FOREIGN,
  'agent/outbox/push/encrypt-push.ts encryptPush': NOT_FOREIGN,
  'agent/outbox/push/vapid.ts authorizePush': NOT_FOREIGN,
  'auth/tokens/operator-token.ts provisionOperatorToken': PATH,
  'channels/chat-text/render-markdown.ts renderMarkdown': SAME_RENDERER,
  'channels/gateway/web-app/frames.ts frameRoutes': PATH,
  'channels/gateway/web-app/web-app.ts readAppPage': PATH,
  'channels/gateway/web-app/web-app.ts webAppRoutes': PATH,
  'channels/mail/mail-html.ts renderMailHtml': SAME_RENDERER,
  'channels/slack/render-mrkdwn.ts renderMrkdwn': SAME_RENDERER,
  'channels/slack/render-mrkdwn.ts splitForSlack': SAME_RENDERER,
  'channels/telegram/bot-api.ts createBotApi': NOT_FOREIGN,
  'channels/telegram/connect.ts connectTelegram': NOT_FOREIGN,
  'channels/webhook/events/github-signature.ts verifyGithub': SIGNED,
  'channels/webhook/events/shared-secret.ts verifySharedSecret': SIGNED,
  'channels/webhook/events/standard-webhooks.ts verifyStandardWebhook': SIGNED,
  'channels/webhook/events/stripe-signature.ts verifyStripe': SIGNED,
  'domain/secret-hash.ts equalsSecret': 'hashes the text',
  'egress/check-target.ts checkPrivateTarget': 'as checkTarget',
  'egress/egress-failure.ts toEgressFailure': 'the host was checked',
  'safety/inspect.ts findFlags': IN_WORKERS,
  'safety/inspect.ts inspectIncoming': IN_WORKERS,
  'safety/inspect.ts inspectOutgoing': IN_WORKERS,
  'safety/secrets/redact-ranges.ts redactRanges': 'as findSecretForms, which finds the ranges',
  'tools/builtin/web/html-to-text.ts htmlToText': IN_WORKERS,
  'tools/builtin/web/html-to-text.ts parseHtml': IN_WORKERS,
  'tools/builtin/web/read-page.ts readMailHtml': IN_WORKERS,
  'tools/component/jail/read-inside.ts readModule': PATH,
  'tools/mcp/server-tokens.ts sealedClient': NOT_FOREIGN,
  'tools/skills/read-skill-folder.ts readSkillFolder': PATH,
};

/** What a hostile text repeats. Each is tried alone, in the middle of a line, and before a character that ends a match in vain. */
const REPEATED = [
  ['*', '**', '_', '~~', '`', '[', ']', '(', '<', '>', '> ', '- ', '1. ', '#', '\\', '\\"', '"', "'", '!', '|'],
  [' ', '\t', '\n', '\r\n', ' \n', '\u00A0', '\0', 'a', 'a ', 'a.', 'a@', 'a,', '0', '-', '=', '/', '.', ':', '&'],
  ['**a ', '_a*', '[a](', '![', '<a ', '<!--', '`a ', '```\n', '| a ', '{"a":', '[{', '%41', '@here ', '\u202E'],
  ['- a\n', '> a\n', 'a: b\n', 'http://', 'www.', 'a@b.c ', '--\n', 'eyJ', 'sk-', '<a href="', '\uD800', 'é'],
].flat();
const SHAPES = [(middle: string) => middle, (middle: string) => `# a${middle}b`, (middle: string) => `${middle}/`];

/** Four times the text may take four times as long; the square would be sixteen times. */
const MAX_GROWTH = 9;
const [SMALL, MEDIUM, LARGE] = [2000, 8000, 32_000];
/** Below this, the growth disappears in the noise, and users don't notice it. */
const UNNOTICED_MS = 2;
/** A small text that takes so long is refused before a larger one is tried. */
const MAX_SMALL_MS = 500;

type Subject = { readonly name: string; readonly call: (text: string) => unknown };

test('no exported function takes quadratic time for a hostile text', async () => {
  const slow: string[] = [];
  for (const { name, call } of await findSubjects())
    for (const unit of REPEATED)
      for (const [index, shape] of SHAPES.entries()) {
        const growth = await growthOf((size) => time(call, shape(unit.repeat(Math.ceil(size / unit.length)))));
        if (growth > MAX_GROWTH) slow.push(`${name} with ${JSON.stringify(unit)} (${index}): ${growth.toFixed(1)}`);
      }
  expect(slow).toEqual([]);
});

async function growthOf(at: (size: number) => Promise<number>): Promise<number> {
  if ((await at(SMALL)) > MAX_SMALL_MS) return Infinity;
  if ((await at(MEDIUM)) < UNNOTICED_MS || (await at(MEDIUM)) < UNNOTICED_MS) return 1;
  const growths: number[] = [];
  do growths.push((await fastest(at, LARGE)) / (await fastest(at, MEDIUM)));
  while (growths.length < 3 && Math.min(...growths) > MAX_GROWTH);
  return Math.min(...growths);
}

const fastest = async (at: (size: number) => Promise<number>, size: number): Promise<number> =>
  Math.min(await at(size), await at(size));

/** CPU time, which does not depend on what else runs. Functions may refuse a text. */
async function time(call: Subject['call'], text: string): Promise<number> {
  const start = process.cpuUsage();
  try {
    await call(text);
  } catch {}
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Exported functions whose first parameter is a text. The others need an entry above. */
async function findSubjects(): Promise<Subject[]> {
  const known = new Set([...Object.keys(ARGUMENTS), ...Object.keys(LEFT_OUT)]);
  const unknown: string[] = [];
  const subjects: Subject[] = [];
  for (const file of await sourceFiles()) {
    const found = textFunctions(await readFile(path.join('src', file), 'utf8'));
    for (const { name, others } of found) {
      const id = `${file} ${name}`;
      known.delete(id);
      if (id in LEFT_OUT) continue;
      const more = ARGUMENTS[id] ?? others;
      if (more.includes(undefined)) unknown.push(id);
      else subjects.push({ name: id, call: await importFunction(file, name, more) });
    }
  }
  expect(unknown, 'Add their further arguments, or why they are left out').toEqual([]);
  expect([...known], 'These are gone').toEqual([]);
  return subjects;
}

async function sourceFiles(): Promise<string[]> {
  const files = await Promise.all(
    FOLDERS.map(async (folder) =>
      (await readdir(path.join('src', folder), { recursive: true })).map((file) => `${folder}/${file}`),
    ),
  );
  return files.flat().filter((file) => file.endsWith('.ts') && !file.includes('.test'));
}

async function importFunction(file: string, name: string, more: readonly unknown[]): Promise<Subject['call']> {
  const module = (await import(path.resolve('src', file))) as Record<string, (...given: unknown[]) => unknown>;
  return (text) => module[name]?.(text, ...more);
}

type Node = { readonly type: string; readonly [field: string]: unknown };

/** `others`: values for the other parameters that must be given; undefined where none is known. */
function textFunctions(source: string): { readonly name: string; readonly others: readonly unknown[] }[] {
  // oxlint-disable-next-line typescript/no-deprecated -- the one parser at hand: TypeScript 7 has no API, and vitest passes on no other
  const { body } = parseAst(source, { lang: 'ts' }) as unknown as { body: Node[] };
  return body
    .filter(({ type }) => type === 'ExportNamedDeclaration')
    .flatMap(({ declaration }) => declaredIn(declaration as Node | null))
    .filter(({ parameters: [first] }) => first !== undefined && isOf('TSStringKeyword', first))
    .map(({ name, parameters: [, ...more] }) => ({ name, others: more.filter(isRequired).map(valueFor) }));
}

function declaredIn(declaration: Node | null): { readonly name: string; readonly parameters: readonly Node[] }[] {
  if (declaration?.type === 'FunctionDeclaration')
    return [{ name: nameOf(declaration['id']), parameters: declaration['params'] as Node[] }];
  if (declaration?.type !== 'VariableDeclaration') return [];
  return (declaration['declarations'] as Node[]).flatMap(({ id, init }) => {
    const made = init as Node | null;
    return made?.type === 'ArrowFunctionExpression' ? [{ name: nameOf(id), parameters: made['params'] as Node[] }] : [];
  });
}

const nameOf = (id: unknown) => String((id as Node)['name']);

function isOf(kind: string, parameter: Node): boolean {
  if (parameter.type === 'AssignmentPattern')
    return isOf(kind, parameter['left'] as Node) || typeof (parameter['right'] as Node)['value'] === 'string';
  const annotation = (parameter['typeAnnotation'] as Node | null)?.['typeAnnotation'] as Node | undefined;
  const kinds = annotation?.type === 'TSUnionType' ? (annotation['types'] as Node[]) : [annotation];
  return kinds.some((found) => found?.type === kind);
}

function valueFor(parameter: Node): unknown {
  if (isOf('TSNumberKeyword', parameter)) return 1000;
  return isOf('TSStringKeyword', parameter) ? 'a.example' : undefined;
}

const isRequired = (parameter: Node) =>
  parameter.type !== 'AssignmentPattern' && parameter.type !== 'RestElement' && parameter['optional'] !== true;
