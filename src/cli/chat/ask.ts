import { text } from 'node:stream/consumers';
import type { Client } from '@reborn-agent/client';
import { sendMessage } from '@reborn-agent/client/send';
import { readConfig } from '#config/config.ts';
import { withQuietService } from '../connect/with-service.ts';
import { runCommand } from '../run-command.ts';
import { type TellOptions, tellTurn } from './tell-turn.ts';

export type AskOptions = TellOptions & { readonly thread?: string; readonly model?: string };

/** `reborn ask`: one message, its answer on stdout, everything else on stderr. */
export function ask(words: readonly string[], { thread, model, ...options }: AskOptions): Promise<void> {
  return runCommand(async () => {
    if (options.json && options.stream) throw new Error('Choose --json or --stream, not both.');
    const route = model ?? (thread ? undefined : null); // a thread continues with the model that answered last
    const message = {
      message: await readMessage(words),
      ...(thread && { thread_id: thread }),
      ...(model && { model }),
    };
    await withQuietService(readConfig(), (service) =>
      tellTurn(
        service,
        async (client) => {
          if (model) await requireModel(client, model);
          return sendMessage(client, message);
        },
        { ...options, route },
      ),
    );
  });
}

/** The service answers a name that it does not know with the default model. */
async function requireModel(client: Client, name: string): Promise<void> {
  const names = (await client.call('GET /api/models')).models.map(({ id }) => id);
  if (!names.includes(name))
    throw new Error(`The model "${name}" does not exist. Available models: ${names.join(', ')}.`);
}

async function readMessage(words: readonly string[]): Promise<string> {
  const piped = process.stdin.isTTY ? '' : (await text(process.stdin)).trimEnd();
  const message = [words.join(' ').trim(), piped].filter(Boolean).join('\n\n');
  if (message.trim() === '') throw new Error('There is nothing to ask. Try: reborn ask "What time is it?"');
  return message;
}
