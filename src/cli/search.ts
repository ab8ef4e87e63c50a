import type { Command } from 'commander';
import { withClient } from './connect/with-client.ts';
import { printJson, printLine, printTable } from './print.ts';

type Options = { readonly json?: true };

/** `reborn search`: the search engine of the agent. It is chosen in the browser, or with SEARCH_ENGINE. */
export function addSearchCommands(program: Command): void {
  const search = program.command('search').description('Show and test the search engine of the agent.');
  search
    .command('show')
    .option('--json', 'print JSON')
    .description('Show which engine is used.')
    .addHelpText('after', '\nExample:\n  reborn search show\n\nSet it in the browser, or with SEARCH_ENGINE.')
    .action(show);
  search
    .command('test')
    .argument('[query...]', 'what to search for; "weather" when left out')
    .option('--json', 'print JSON')
    .description('Ask the engine one query, and show three hits or the reason why there are none.')
    .addHelpText(
      'after',
      '\nExample:\n  reborn search test tides in Hamburg\n\nExit codes: 0 it answers, 1 it does not.',
    )
    .action(test);
}

function show({ json }: Options): Promise<void> {
  return withClient(async (client) => {
    const setting = await client.call('GET /api/settings/search');
    if (json) return printJson(setting);
    if (setting.engine === null) return printLine('No search engine is set up, so the agent has no search.');
    printTable([
      ['engine', 'address', 'key', 'set in', 'safe'],
      [
        setting.engine,
        setting.base_url ?? 'its own',
        setting.has_key ? 'yes' : 'no',
        setting.source ?? '',
        setting.safe,
      ],
    ]);
  });
}

function test(words: readonly string[], { json }: Options): Promise<void> {
  return withClient(async (client) => {
    const query = words.join(' ');
    const result = await client.call('POST /api/settings/search/test', { body: query ? { query } : {} });
    if (result.error !== null) process.exitCode = 1;
    if (json) return printJson(result);
    for (const { title, url } of result.hits) printLine(`${title}\n  ${url}`);
    if (result.error !== null) return printLine(result.error);
    if (result.hits.length === 0) printLine('It answers, and found nothing.');
    if (result.failed.length > 0) printLine(`Did not answer: ${result.failed.join(', ')}`);
  });
}
