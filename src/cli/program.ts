import { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { addBackupCommand } from './backup.ts';
import { addExportCommand } from './export.ts';
import { addImportCommand } from './import.ts';
import { addRestoreCommand } from './restore.ts';
import { serve } from './serve.ts';
import { addServiceCommands } from './service/service.ts';
import { addTokenCommands } from './token.ts';
import { addToolCommands } from './tool.ts';
import { addUserCommands } from './user.ts';
import { addWebhookCommands } from './webhook.ts';

/** The `reborn` command and everything below it. */
export function createProgram(): Command {
  const program = new Command('reborn')
    .description('An agent service that picks up where it left off.')
    .version(packageJson.version)
    .action(serve);
  program
    .command('serve')
    .description('Serve the gateway and the Responses API until stopped.')
    .addHelpText('after', '\nExample:\n  GATEWAY_PORT=8000 reborn serve')
    .action(serve);
  addToolCommands(program);
  addWebhookCommands(program);
  addUserCommands(program);
  addTokenCommands(program);
  addBackupCommand(program);
  addRestoreCommand(program);
  addExportCommand(program);
  addImportCommand(program);
  addServiceCommands(program);
  return program;
}
