import { formatCost } from '@reborn-agent/client/format';
import type { Command } from 'commander';
import { withClient } from './connect/with-client.ts';
import { printJson, printLine, printTable } from './print.ts';
import { wholeNumber } from './whole-number.ts';

type Options = { readonly days: number; readonly json?: true };

/** `reborn usage`: what model calls used, by day, user and model. */
export function addUsageCommand(program: Command): void {
  program
    .command('usage')
    .option('--days <number>', 'how many days', wholeNumber(1, 366), 7)
    .option('--json', 'print JSON')
    .description('Show the tokens and costs of each day, user and model.')
    .addHelpText('after', '\nExample:\n  reborn usage --days 30\n\nDays are in UTC.')
    .action(showUsage);
}

function showUsage({ days, json }: Options): Promise<void> {
  return withClient(async (client) => {
    const { usage } = await client.call('GET /api/usage', { query: { days } });
    if (json) return printJson(usage);
    if (usage.length === 0) return printLine('No model was called in this time.');
    const total = usage.reduce((sum, row) => sum + Number(row.cost_usd), 0);
    printTable([
      ['day', 'user', 'model', 'calls', 'failed', 'input', 'output', 'cost'],
      ...usage.map((row) => [
        row.day,
        row.user_id,
        row.model,
        ...[row.calls, row.errors, row.input_tokens, row.output_tokens].map((count) => count.toLocaleString('en')),
        row.unpriced_calls === row.calls ? formatCost(null) : formatCost(row.cost_usd),
      ]),
    ]);
    const unpriced = usage.reduce((sum, row) => sum + row.unpriced_calls, 0);
    printLine(
      `Total: ${formatCost(total)}${unpriced > 0 ? `, without ${unpriced} calls whose price is unknown` : ''}.`,
    );
  });
}
