import { isCancel, text } from '@clack/prompts';
import type { Command } from 'commander';
import { openConfiguredBucket } from '#app/open-bucket.ts';
import { createErasureRequests } from '#auth/erasures.ts';
import type { Certificate } from '#domain/erasure.ts';
import { isWebhookUser } from '#domain/thread/job.ts';
import { connectEngine } from '#engine/engine-connection.ts';
import { runErasure } from '#lifecycle/erase.ts';
import { type Desk, withAccounts } from '../connect/with-accounts.ts';
import { COMMAND_LINE } from '../connect/with-database.ts';
import { printJson, printLine, printNotice, toLines } from '../print.ts';

type Options = { readonly yes?: true; readonly json?: true };

/** `reborn user erase`: deletes everything that belongs to a user. */
export function addUserEraseCommand(user: Command): void {
  user
    .command('erase')
    .argument('<user>', 'an id, email or name, also of a removed user; or a webhook user such as webhook:ann')
    .option('--yes', 'do not ask')
    .option('--json', 'print the certificate as JSON')
    .description('Erase a user: delete their threads, memory, secrets, missions and everything else, permanently.')
    .addHelpText('after', '\nExample:\n  reborn user erase Ann --yes --json > certificate.json')
    .action(eraseUser);
}

function eraseUser(called: string, { yes, json }: Options): Promise<void> {
  return withAccounts(async (desk) => {
    const { id, name } = await find(desk, called);
    if (!yes && !(await isConfirmed(name))) throw new Error('Nothing was erased.');

    await using undo = new AsyncDisposableStack();
    const pool = connectEngine({ ...desk.connection, max: 1 }, () => {}); // a cut line fails the query, which reports it
    undo.defer(() => pool.end());
    const bucket = await openConfiguredBucket(desk.config, desk.connection, undo);
    const erasure = await createErasureRequests(desk.identities).request(COMMAND_LINE, id);
    if (!json) printNotice(`Erasing ${name}. If this command is interrupted, the service continues.`);
    const certificate = await runErasure(pool, erasure.id, undefined, bucket);
    if (!certificate) throw new Error('The erasure was interrupted. Run the command again.');
    if (json) return printJson(certificate);
    printLine(describe(name, certificate));
  });
}

async function find({ findErasable }: Desk, called: string): Promise<{ id: string; name: string }> {
  return isWebhookUser(called) ? { id: called, name: called } : findErasable(called);
}

async function isConfirmed(name: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new Error('This cannot be undone. Add --yes to confirm it.');
  const answer = await text({
    message: toLines(`This cannot be undone. Type "${name}" to erase everything of theirs:`),
  });
  return !isCancel(answer) && answer.trim() === name;
}

function describe(name: string, { deleted, digest }: Certificate): string {
  const rows = Object.values(deleted).reduce((all, count) => all + count, 0);
  return [
    `Erased ${name}: ${deleted['threads'] ?? 0} threads, ${deleted['items'] ?? 0} items, ${rows} rows in all.`,
    `The certificate has the digest ${digest}; \`GET /api/erasures\` returns it again.`,
    'Backups that were made before still contain the data.',
  ].join('\n');
}
