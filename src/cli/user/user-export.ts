import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { createPersonExport } from '#agent/administration/person-export.ts';
import { createAttachments } from '#agent/attachments/attachments.ts';
import { openConfiguredBucket } from '#app/open-bucket.ts';
import { readAccount } from '#auth/account-export.ts';
import { OPERATOR } from '#domain/principal.ts';
import { isWebhookUser } from '#domain/thread/job.ts';
import { recordAudit } from '#store/audit.ts';
import { withAccounts } from '../connect/with-accounts.ts';
import { COMMAND_LINE } from '../connect/with-database.ts';
import { printNotice } from '../print.ts';

/** `reborn user export`: everything about a user, for a request of theirs. */
export function addUserExportCommand(user: Command): void {
  user
    .command('export')
    .argument('<user>', 'an id, email or name, also of a removed user; operator, or a webhook user such as webhook:ann')
    .argument('<file>', 'where to write it; - for the standard output')
    .description('Save everything about a user as lines of JSON. The audit log records it.')
    .addHelpText('after', '\nExample:\n  reborn user export Ann ann.jsonl')
    .action(exportUser);
}

function exportUser(called: string, file: string): Promise<void> {
  return withAccounts(async ({ config, connection, db, identities, findErasable }) => {
    await using undo = new AsyncDisposableStack();
    const attachments = createAttachments(db, await openConfiguredBucket(config, connection, undo));
    const isNamed = called === OPERATOR.userId || isWebhookUser(called);
    const userId = isNamed ? called : (await findErasable(called)).id;
    await recordAudit(db, { actor: COMMAND_LINE.userId, action: 'user.export', subject: userId, detail: {} });
    const lines = createPersonExport(db, (id) => readAccount(identities, id), attachments)({ userId });
    const sink = file === '-' ? process.stdout : createWriteStream(file, { flags: 'wx', mode: 0o600 });
    await pipeline(Readable.from(lines), sink);
    if (file !== '-') printNotice(`Saved everything about ${called} to ${file}. Only you can read the file.`);
  });
}
