import type { Command } from 'commander';
import { createDeliveries } from '#agent/outbox/notifications.ts';
import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { type DeliveryId, isUuid } from '#domain/ids.ts';
import { DELIVERY_STATES } from '#domain/notification/delivery.ts';
import { OPERATOR } from '#domain/principal.ts';
import { withDatabase } from '../connect/with-database.ts';
import { printLine, printRecord, printTable } from '../print.ts';

type ListOptions = { readonly state?: string; readonly json?: true };

const SHOWN = 50;

/** `reborn delivery`: what left, or should have left, for callbacks and endpoints. */
export function addDeliveryCommands(program: Command): void {
  const delivery = program.command('delivery').description('Inspect and retry deliveries to callbacks and endpoints.');
  delivery
    .command('list')
    .option('--state <state>', 'only pending, sending, sent or dead ones')
    .option('--json', 'print JSON')
    .description(`List the newest ${SHOWN} deliveries.`)
    .addHelpText('after', '\nExample:\n  reborn delivery list --state dead')
    .action(listDeliveries);
  delivery
    .command('retry')
    .argument('<id>', 'the id from the list')
    .description('Try a dead delivery again. A running service makes it within a second or two.')
    .addHelpText('after', '\nExample:\n  reborn delivery retry 0198c2d4-6d1e-7c3a-9b51-3f2f8a9f1c11')
    .action(retryDelivery);
}

function listDeliveries({ state, json }: ListOptions): Promise<void> {
  return withDatabase(async ({ db }) => {
    const wanted = DELIVERY_STATES.find((known) => known === state);
    if (state !== undefined && !wanted)
      throw new InvalidRequest('invalid_request', null, `--state must be ${DELIVERY_STATES.join(', ')}.`);
    const found = await createDeliveries(db).list(OPERATOR, { ...(wanted && { state: wanted }), limit: SHOWN });
    if (json) return printRecord(found);
    if (found.length === 0) return printLine('There are no deliveries.');
    printTable([
      ['id', 'event', 'target', 'state', 'attempts', 'created', 'last error'],
      ...found.map(({ id, type, target, state: reached, attempts, createdAt, lastError }) => [
        id,
        type,
        target,
        reached,
        String(attempts),
        createdAt.toISOString(),
        lastError ?? '',
      ]),
    ]);
  });
}

function retryDelivery(id: string): Promise<void> {
  return withDatabase(async ({ db }) => {
    if (!isUuid<DeliveryId>(id)) throw new NotFound('There is no such delivery.');
    await createDeliveries(db).retry(OPERATOR, id);
    printLine('The delivery is due. A running service makes it within a second or two.');
  });
}
