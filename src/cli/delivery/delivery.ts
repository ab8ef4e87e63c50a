import { ApiError, type Client } from '@reborn-agent/client';
import type { Delivery } from '@reborn-agent/client/api';
import { formatMinute } from '@reborn-agent/client/format';
import { type Command, Option } from 'commander';
import { DELIVERY_STATES } from '#domain/notification/delivery.ts';
import { withClient } from '../connect/with-client.ts';
import { printJson, printLine, printNotice, printTable } from '../print.ts';

type ListOptions = { readonly state?: Delivery['state']; readonly json?: true };

const SHOWN = 50;

/** `reborn delivery`: what left, or should have left, for callbacks and endpoints. */
export function addDeliveryCommands(program: Command): void {
  const delivery = program.command('delivery').description('Inspect and retry deliveries to callbacks and endpoints.');
  delivery
    .command('list')
    .addOption(new Option('--state <state>', 'only those in this state').choices(DELIVERY_STATES))
    .option('--json', 'print JSON')
    .description(`List the newest ${SHOWN} deliveries.`)
    .addHelpText('after', '\nExample:\n  reborn delivery list --state dead')
    .action(listDeliveries);
  delivery
    .command('retry')
    .argument('[id...]', 'ids from the list')
    .option('--all-dead', 'all deliveries that were given up')
    .description('Try dead deliveries again. A running service makes them within a second or two.')
    .addHelpText(
      'after',
      '\nExamples:\n  reborn delivery retry 0198c2d4-6d1e-7c3a-9b51-3f2f8a9f1c11\n  reborn delivery retry --all-dead',
    )
    .action(retryDeliveries);
}

function listDeliveries({ state, json }: ListOptions): Promise<void> {
  return withClient(async (client) => {
    const { deliveries } = await client.call('GET /api/deliveries', { query: { state, limit: SHOWN } });
    if (json) return printJson(deliveries);
    if (deliveries.length === 0) return printLine('No deliveries.');
    printTable([
      ['id', 'event', 'target', 'state', 'attempts', 'created', 'last error'],
      ...deliveries.map(({ id, type, target, state: reached, attempts, created_at: created, last_error: error }) => [
        id,
        type,
        target,
        reached,
        String(attempts),
        formatMinute(created),
        error ?? '',
      ]),
    ]);
  });
}

function retryDeliveries(given: readonly string[], { allDead }: { readonly allDead?: true }): Promise<void> {
  return withClient(async (client) => {
    if (allDead && given.length > 0) throw new Error('Give ids or --all-dead, not both.');
    if (!allDead && given.length === 0) throw new Error('Give the ids of deliveries, or --all-dead.');
    const due = allDead ? await retryAll(client) : await retryEach(client, given);
    if (due === 0) return allDead ? printLine('No delivery was given up.') : undefined;
    const [which, them] = due === 1 ? ['1 delivery is due', 'it'] : [`${due} deliveries are due`, 'them'];
    printLine(`${which}. A running service makes ${them} within a second or two.`);
  });
}

/** How many are due now. One that can't be retried is reported, and does not stop the others. */
async function retryEach(client: Client, ids: readonly string[]): Promise<number> {
  let due = 0;
  for (const id of ids) {
    try {
      await client.call('POST /api/deliveries/{id}/retry', { params: { id } });
      due++;
    } catch (error) {
      if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 400)) throw error;
      printNotice(`reborn: ${id}: ${error.message}`);
      process.exitCode = 1;
    }
  }
  return due;
}

/** Page by page: a delivery that is due again is no longer on the list. */
async function retryAll(client: Client): Promise<number> {
  const tried = new Set<string>();
  let due = 0;
  for (;;) {
    const { deliveries } = await client.call('GET /api/deliveries', { query: { state: 'dead', limit: SHOWN } });
    const left = deliveries.map(({ id }) => id).filter((id) => !tried.has(id));
    if (left.length === 0) return due;
    for (const id of left) tried.add(id);
    due += await retryEach(client, left);
  }
}
