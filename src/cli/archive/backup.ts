import type { Command } from 'commander';
import { printJson, printNotice } from '../print.ts';
import { runCommand } from '../run-command.ts';
import { readHomeFiles } from '../setup/home-files.ts';
import { reportTables } from './report-tables.ts';
import { saveArchive } from './save-archive.ts';

type Options = { readonly force?: boolean; readonly json?: true };

/** `reborn backup`: everything of an installation in one file. */
export function addBackupCommand(program: Command): void {
  program
    .command('backup')
    .argument('<file>', 'where to write it; - for the standard output')
    .option('--force', 'write over a file that is there')
    .option('--json', 'print what was saved as JSON')
    .description('Save everything in one file, while the service runs.')
    .addHelpText('after', '\nExample:\n  reborn backup /backups/monday.reborn\n  reborn restore /backups/monday.reborn')
    .action(backup);
}

function backup(file: string, { force = false, json }: Options): Promise<void> {
  return runCommand(async () => {
    const report = reportTables(json === true);
    const { files, notice } = await saveArchive({
      file,
      force,
      readFiles: ({ home }) => readHomeFiles(home),
      ...report,
    });
    const names = files.map((saved) => saved.file);
    if (json) return file === '-' ? undefined : printJson({ file, files: names, tables: report.tables });
    printNotice(
      `Saved ${report.rows()} rows${names.length > 0 ? ` and ${names.join(', ')}` : ''} to ${file}. ` +
        `Anyone who can read it can read all your data: protect it like the home folder.${notice}`,
    );
  });
}
