import { createClient } from '@reborn-agent/client';
import type { Command } from 'commander';
import { readConfig } from '#config/config.ts';
import { findOperatorToken, findService, getStatus } from '../connect/running-service.ts';
import { printLine } from '../print.ts';
import { runCommand } from '../run-command.ts';

/** `reborn link`: a new link that signs a browser in to the service of this home. */
export function addLinkCommand(program: Command): void {
  program
    .command('link')
    .description('Print a link that signs a browser in as the operator, once, within 15 minutes.')
    .addHelpText('after', '\nExample:\n  reborn link')
    .action(printLink);
}

function printLink(): Promise<void> {
  return runCommand(async () => {
    const config = readConfig();
    const service = await findService(config);
    if (!service) throw new Error('The service is not running. `reborn serve` starts it.');
    await getStatus(config, service);
    const token = (await findOperatorToken(config)) ?? '';
    const { url } = await createClient({ url: service.url, token }).call('POST /api/sign-in-links');
    printLine(url);
  });
}
