import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type ImportTotals, importChats } from '@reborn-agent/client/import-chats';
import type { Command } from 'commander';
import { withClient } from '../connect/with-client.ts';
import { printJson, printLine, printNotice } from '../print.ts';

type Options = { readonly own?: true; readonly json?: true };

/** `reborn thread import`: the conversations of ChatGPT's export. */
export function addChatImport(thread: Command): void {
  thread
    .command('import')
    .argument('<file>', 'conversations.json from the export of ChatGPT')
    .option(
      '--own',
      'you wrote the messages of the user in it; otherwise they count as text by others, like the answers',
    )
    .option('--json', 'print JSON')
    .description('Make threads of the chats in an export of ChatGPT. Those that were imported before stay as they are.')
    .addHelpText('after', '\nExample:\n  reborn thread import conversations.json --own')
    .action(importFile);
}

function importFile(file: string, { own, json }: Options): Promise<void> {
  return withClient(async (client) => {
    if (!(await stat(file)).isFile()) throw new Error(`${file} is not a file.`);
    const content = await openAsBlob(file);
    let last: ImportTotals | undefined;
    const onProgress = (totals: ImportTotals) => {
      last = totals;
    };
    const totals = await importChats(client, content.stream(), { own: own ?? false, onProgress }).catch(
      (error: unknown) => {
        if (last) printNotice(`${inWords(last)} Run the command again to continue.`);
        throw error;
      },
    );
    if (json) return printJson(totals);
    printLine(inWords(totals));
  });
}

function inWords({ imported, known, empty, unreadable, tooLarge }: ImportTotals): string {
  const others = [
    known > 0 && `${known} were here already`,
    empty > 0 && `${empty} are empty`,
    unreadable > 0 && `${unreadable} can't be read`,
    tooLarge > 0 && `${tooLarge} are too large`,
  ].filter((words) => words !== false);
  return [`Imported ${imported} ${imported === 1 ? 'chat' : 'chats'}.`, ...others.map((words) => `${words}.`)].join(
    ' ',
  );
}
