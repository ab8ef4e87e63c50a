import type { Command } from 'commander';
import { printJson, printNotice } from '../print.ts';
import { runCommand } from '../run-command.ts';
import { loadArchiveFile } from './load-archive-file.ts';
import { reportTables } from './report-tables.ts';

/** `reborn restore`: what `reborn backup` saved, in an empty home. */
export function addRestoreCommand(program: Command): void {
  program
    .command('restore')
    .argument('<file>', 'what `reborn backup` wrote; - for the standard input')
    .option('--json', 'print what was restored as JSON')
    .description('Bring back a backup, into a home and database without anything in them.')
    .addHelpText('after', '\nExample:\n  REBORN_HOME=/srv/reborn reborn restore /backups/monday.reborn')
    .action(restore);
}

function restore(file: string, { json }: { json?: true }): Promise<void> {
  return runCommand(async () => {
    const report = reportTables(json === true);
    const { config, files, keyProblem } = await loadArchiveFile({ file, withHome: true, ...report });
    if (keyProblem) printNotice(keyProblem);
    if (json) return printJson({ home: config.home, files: files.map((saved) => saved.file), tables: report.tables });
    printNotice(
      `Restored ${report.rows()} rows; the home is ${config.home}. ` +
        'Unfinished turns continue at the next start: do not start the old installation again.',
    );
  });
}
