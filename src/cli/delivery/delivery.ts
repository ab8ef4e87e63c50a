import type { Command } from 'commander';
import { createDeliveries, type Deliveries } from '#agent/outbox/notifications.ts';
import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { type DeliveryId, isUuid } from '#domain/ids.ts';
import { DELIVERY_STATES } from '#domain/notification/delivery.ts';
import { OPERATOR } from '#domain/principal.ts';
import { withDatabase } from '../connect/with-database.ts';
import { printLine, printNotice, printRecord, printTable } from '../print.ts';

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

function retryDeliveries(given: readonly string[], { allDead }: { readonly allDead?: true }): Promise<void> {
  return withDatabase(async ({ db }) => {
    if (allDead && given.length > 0)
      throw new InvalidRequest('invalid_request', null, 'Give ids or --all-dead, not both.');
    if (!allDead && given.length === 0)
      throw new InvalidRequest('invalid_request', null, 'Give the ids of deliveries, or --all-dead.');
    const deliveries = createDeliveries(db);
    const due = allDead ? await retryAll(deliveries) : await retryEach(deliveries, given);
    if (due === 0) return allDead ? printLine('No delivery was given up.') : undefined;
    const [which, them] = due === 1 ? ['1 delivery is due', 'it'] : [`${due} deliveries are due`, 'them'];
    printLine(`${which}. A running service makes ${them} within a second or two.`);
  });
}

/** How many are due now. One that can't be retried is reported, and does not stop the others. */
async function retryEach(deliveries: Deliveries, ids: readonly string[]): Promise<number> {
  let due = 0;
  for (const id of ids) {
    try {
      if (!isUuid<DeliveryId>(id)) throw new NotFound('There is no such delivery.');
      await deliveries.retry(OPERATOR, id);
      due++;
    } catch (error) {
      if (!(error instanceof NotFound || error instanceof InvalidRequest)) throw error;
      printNotice(`reborn: ${id}: ${error.message}`);
      process.exitCode = 1;
    }
  }
  return due;
}

/** Page by page: a delivery that is due again is no longer on the list. */
async function retryAll(deliveries: Deliveries): Promise<number> {
  const tried = new Set<DeliveryId>();
  let due = 0;
  for (;;) {
    const dead = await deliveries.list(OPERATOR, { state: 'dead', limit: SHOWN });
    const left = dead.map(({ id }) => id).filter((id) => !tried.has(id));
    if (left.length === 0) return due;
    for (const id of left) tried.add(id);
    due += await retryEach(deliveries, left);
  }
}
