import type { Command } from 'commander';
import { printJson, printNotice } from '../print.ts';
import { runCommand } from '../run-command.ts';
import { reportTables } from './report-tables.ts';
import { saveArchive } from './save-archive.ts';

type Options = { readonly force?: boolean; readonly json?: true };

/** `reborn export`: everything that is in the database, to take it to another. */
export function addExportCommand(program: Command): void {
  program
    .command('export')
    .argument('<file>', 'where to write it; - for the standard output')
    .option('--force', 'write over a file that is there')
    .option('--json', 'print what was saved as JSON')
    .description('Save what is in the database, to import it into another.')
    .addHelpText(
      'after',
      '\nExample:\n  reborn export everything.reborn\n' +
        '  DATABASE_URL=postgres://reborn@db.example.com/reborn reborn import everything.reborn',
    )
    .action(exportRows);
}

function exportRows(file: string, { force = false, json }: Options): Promise<void> {
  return runCommand(async () => {
    const report = reportTables(json === true);
    const { notice } = await saveArchive({ file, force, readFiles: async () => [], ...report });
    if (json) return file === '-' ? undefined : printJson({ file, tables: report.tables });
    const secrets = report.tables['secrets']?.rows
      ? ' Secrets stay encrypted: where you import them, set SECRETS_KEY to the key of this installation.'
      : '';
    printNotice(`Saved ${report.rows()} rows to ${file}.${secrets}${notice}`);
  });
}
