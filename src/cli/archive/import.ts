import type { Command } from 'commander';
import { printJson, printNotice } from '../print.ts';
import { runCommand } from '../run-command.ts';
import { loadArchiveFile } from './load-archive-file.ts';
import { reportTables } from './report-tables.ts';

/** `reborn import`: what `reborn export` or `reborn backup` saved, in an empty database. */
export function addImportCommand(program: Command): void {
  program
    .command('import')
    .argument('<file>', 'what `reborn export` or `reborn backup` wrote; - for the standard input')
    .option('--json', 'print what was imported as JSON')
    .description('Fill an empty database with what was exported from another.')
    .addHelpText(
      'after',
      '\nExample:\n  DATABASE_URL=postgres://reborn@db.example.com/reborn SECRETS_KEY=… reborn import everything.reborn',
    )
    .action(importRows);
}

function importRows(file: string, { json }: { json?: true }): Promise<void> {
  return runCommand(async () => {
    const report = reportTables(json === true);
    const { keyProblem } = await loadArchiveFile({ file, withHome: false, ...report });
    if (keyProblem) printNotice(keyProblem);
    if (json) return printJson({ tables: report.tables });
    printNotice(
      `Imported ${report.rows()} rows, each table with the checksum it was exported with. ` +
        'Unfinished turns continue at the next start: do not start the old installation again.',
    );
  });
}
