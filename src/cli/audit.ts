import { formatMinute } from '@reborn-agent/client/format';
import type { Command } from 'commander';
import { withClient } from './connect/with-client.ts';
import { printJson, printLine, printTable } from './print.ts';
import { wholeNumber } from './whole-number.ts';

type Options = { readonly limit: number; readonly json?: true };

/** `reborn audit`: who changed what. */
export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .option('--limit <number>', 'how many entries', wholeNumber(1, 100), 20)
    .option('--json', 'print JSON')
    .description('Show the newest entries of the audit log.')
    .addHelpText('after', '\nExample:\n  reborn audit --limit 50')
    .action(showAudit);
}

function showAudit({ limit, json }: Options): Promise<void> {
  return withClient(async (client) => {
    const { entries } = await client.call('GET /api/audit', { query: { limit } });
    if (json) return printJson(entries);
    if (entries.length === 0) return printLine('The audit log is empty.');
    printTable([
      ['at', 'actor', 'action', 'subject', 'detail'],
      ...entries.map(({ at, actor, action, subject, detail }) => [
        formatMinute(at),
        actor,
        action,
        subject ?? '',
        Object.keys(detail).length > 0 ? JSON.stringify(detail) : '',
      ]),
    ]);
  });
}
