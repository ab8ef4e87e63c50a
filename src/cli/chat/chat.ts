import { createClient } from '@reborn-agent/client';
import { readConfig, readForeignVariable, wantsColour } from '#config/config.ts';
import { openChat } from '#terminal/chat.ts';
import { withService } from '../connect/with-service.ts';
import { runCommand } from '../run-command.ts';
import { serve } from '../serve.ts';
import { type AskOptions, ask, chooseThread } from './ask.ts';
import { createDraftStore } from './draft-store.ts';
import { editText } from './edit-text.ts';
import { chatInLines } from './line-chat.ts';

export type ChatOptions = Pick<AskOptions, 'thread' | 'continue'> & { readonly plain?: true };

/** `reborn` alone: the chat. Without a terminal it answers what comes in by stdin; turned off, it is `reborn serve`. */
export async function chat(options: ChatOptions, showHelp: () => Promise<void>): Promise<void> {
  let enabled = true;
  await runCommand(async () => {
    const { cli, remote } = readConfig();
    enabled = cli.enabled || remote !== undefined;
  });
  if (process.exitCode !== undefined) return;
  if (!enabled) return serve();
  if (!process.stdin.isTTY) return ask([], options);
  if (!process.stdout.isTTY) return showHelp();
  await runCommand(() => openInTerminal(options));
  process.exit(); // the person has quit: don't wait for open connections
}

async function openInTerminal(options: ChatOptions): Promise<void> {
  const config = readConfig();
  const isPlain = options.plain || readForeignVariable('TERM') === 'dumb';
  process.stderr.write(isPlain ? 'Starting Reborn.\n' : 'Starting Reborn...');
  await withService(config, async ({ locate, notices }) => {
    const threadId = await chooseThread(createClient(locate), options);
    if (isPlain) return chatInLines({ locate, notices }, threadId);
    process.stderr.write('\r\x1b[K');
    const drafts = createDraftStore(config.home);
    const editDraft = (text: string) => editText(text, 'message');
    return openChat({ locate, notices, drafts, editText: editDraft, coloured: wantsColour(), threadId });
  });
}
