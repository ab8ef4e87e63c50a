import { createClient } from '@reborn-agent/client';
import type { Command } from 'commander';
import { readConfig } from '#config/config.ts';
import { findRunning } from '../connect/with-service.ts';
import { printLine } from '../print.ts';
import { runCommand } from '../run-command.ts';

/** `reborn link`: a new link that signs a browser in to the running service. */
export function addLinkCommand(program: Command): void {
  program
    .command('link')
    .description('Print a link that signs a browser in as you, once, within 15 minutes.')
    .addHelpText('after', '\nExample:\n  reborn link')
    .action(printLink);
}

function printLink(): Promise<void> {
  return runCommand(async () => {
    const locate = await findRunning(readConfig());
    if (!locate) throw new Error('The service is not running. `reborn serve` starts it.');
    const { url } = await createClient(locate).call('POST /api/sign-in-links');
    printLine(url);
  });
}
