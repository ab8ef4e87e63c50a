import { countDeliveries, listMissedReceivers, type MissedReceiver } from '#store/system/deliveries.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import { type Finding, ok, warning } from './finding.ts';

const CHECK = 'deliveries';
/** The receivers that are reported one by one. */
const NAMED = 5;

/** Whether receivers missed something in the last day. */
export async function checkDeliveries(system: SystemConnection): Promise<Finding[]> {
  const missed = await listMissedReceivers(system);
  if (missed.length === 0)
    return [ok(CHECK, `No failed deliveries in the last 24 hours. ${await describeRest(system)}`)];
  const rest = missed.slice(NAMED);
  return [
    ...missed.slice(0, NAMED).map(describe),
    ...(rest.length > 0 ? [warning(CHECK, `${rest.length} other receivers missed ${sum(rest)}.`, MEND)] : []),
  ];
}

function describe({ kind, account, count, lastError }: MissedReceiver): Finding {
  const receiver = account.replace(/^host:/, '');
  return warning(
    CHECK,
    `Given up in the last day: ${count} (${kind}) for ${receiver}. ${lastError ?? ''}`.trim(),
    MEND,
  );
}

const MEND =
  'Fix the receiver. `reborn delivery list --state dead` lists them, and `reborn delivery retry ID` sends one again.';

const sum = (receivers: readonly MissedReceiver[]) => receivers.reduce((total, { count }) => total + count, 0);

async function describeRest(system: SystemConnection): Promise<string> {
  const { open, dead } = await countDeliveries(system);
  return `${open} open, ${dead.reduce((total, { all }) => total + all, 0)} failed earlier.`;
}
