import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Client } from '@reborn-agent/client';
import type { ChatRequest } from '@reborn-agent/client/api';
import { sendMessage } from '@reborn-agent/client/send';
import { readConfig } from '#config/config.ts';
import { isObject } from '#domain/is-object.ts';
import { jsonOf } from '#domain/text/json.ts';
import { type Attachment, readAttachedFiles, readAttachment } from '#terminal/files/attached-files.ts';
import { withQuietService } from '../connect/with-service.ts';
import { runCommand } from '../run-command.ts';
import { findNewestThread, findThread } from '../thread/find-thread.ts';
import { type TellOptions, tellTurn } from './tell-turn.ts';

export type AskOptions = TellOptions & {
  readonly thread?: string;
  readonly continue?: true;
  readonly model?: string;
  readonly assistant?: string;
  readonly file?: readonly string[];
  readonly schema?: string;
};

/** `reborn ask`: one message, its answer on stdout, everything else on stderr. */
export function ask(words: readonly string[], options: AskOptions): Promise<void> {
  return runCommand(async () => {
    const { model } = options;
    if (options.json && options.stream) throw new Error('Choose --json or --stream, not both.');
    if (options.thread !== undefined && options.continue) throw new Error('Choose --thread or --continue, not both.');
    const isNew = options.thread === undefined && !options.continue;
    const route = model ?? (isNew ? null : undefined); // a thread continues with the model that answered last
    const message = await readRequest(words, options);
    await withQuietService(readConfig(), (service) =>
      tellTurn(
        service,
        async (client) => {
          if (model) await requireModel(client, model);
          const thread = isNew ? undefined : await chooseThread(client, options);
          return sendMessage(client, { ...message, ...(thread && { thread_id: thread }) });
        },
        { ...options, route },
      ),
    );
  });
}

export async function chooseThread(
  client: Client,
  options: Pick<AskOptions, 'thread' | 'continue'>,
): Promise<string | undefined> {
  if (options.thread !== undefined) return findThread(client, options.thread);
  return options.continue ? (await findNewestThread(client)).id : undefined;
}

/** The service answers a name that it does not know with the default model. */
async function requireModel(client: Client, name: string): Promise<void> {
  const { models } = await client.call('GET /api/models');
  const names = models.flatMap(({ id, route }) => (route === null || route === id ? [id] : [id, route]));
  if (!names.includes(name))
    throw new Error(`The model "${name}" does not exist. Available models: ${names.join(', ')}.`);
}

async function readRequest(
  words: readonly string[],
  { model, assistant, file = [], schema }: AskOptions,
): Promise<ChatRequest> {
  const typed = words.join(' ').trim();
  const piped = process.stdin.isTTY ? '' : (await text(process.stdin)).trimEnd();
  const message = [typed, piped].filter(Boolean).join('\n\n');
  if (message.trim() === '') throw new Error('There is nothing to ask. Try: reborn ask "What time is it?"');
  // Only what the person typed names files: text from a pipe may be anyone's.
  const attachments = [
    ...(await Promise.all(file.map(readNamedFile))),
    ...(await readAttachedFiles(typed, process.cwd())),
  ];
  return {
    message,
    ...(model && { model }),
    ...(assistant && { assistant }),
    ...(attachments.length > 0 && { attachments }),
    ...(schema !== undefined && { output_schema: await readSchema(schema) }),
  };
}

async function readNamedFile(name: string): Promise<Attachment> {
  const found = await readAttachment(name, process.cwd());
  if (!found) throw new Error(`The file ${name} can't be opened.`);
  return found;
}

async function readSchema(file: string): Promise<Record<string, unknown>> {
  const content = await readFile(file, 'utf8').catch(() => {
    throw new Error(`The file ${file} can't be opened.`);
  });
  const schema = jsonOf(content);
  if (!isObject(schema)) throw new Error(`${file} must contain a JSON Schema.`);
  return schema;
}
