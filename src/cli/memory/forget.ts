import type { Client } from '@reborn-agent/client';
import type { ForgetNotes, ForgottenNotes } from '@reborn-agent/client/api';
import { formatCount } from '@reborn-agent/client/format';
import type { Command } from 'commander';
import { isConfirmed } from '../confirm.ts';
import { withClient } from '../connect/with-client.ts';
import { printJson, printLine, printTable } from '../print.ts';
import { findThread } from '../thread/find-thread.ts';

type Options = {
  readonly thread?: string;
  readonly source?: string;
  readonly direct?: true;
  readonly permanent?: true;
  readonly dryRun?: true;
  readonly json?: true;
  readonly yes?: true;
};

/** `reborn memory forget`: takes back what notes hold from somewhere. */
export function addForgetCommand(memory: Command): void {
  memory
    .command('forget')
    .option('--thread <thread>', 'what the agent wrote in this thread')
    .option('--source <source>', 'what it wrote after reading this, such as page=news.example or message=forwarded')
    .option('--direct', 'leave what was written after reading such notes')
    .option('--permanent', 'remove the versions from the history, too')
    .option('--dry-run', 'only show what would change')
    .option('--json', 'print JSON')
    .option('--yes', 'forget without asking')
    .description('Forget what notes hold from a thread or a source. Shows what would change, and asks.')
    .addHelpText(
      'after',
      '\nExamples:\n  reborn memory forget --source page=news.example --dry-run\n  reborn memory forget --thread "Trip to Oslo"\n\n`reborn memory history` names the sources of a note.',
    )
    .action(forgetNotes);
}

function forgetNotes({ direct, permanent, dryRun, json, ...options }: Options): Promise<void> {
  return withClient(async (client) => {
    const from = await traceOf(client, options);
    const body = { from, derived: !direct, permanent: permanent === true };
    const preview = await client.call('POST /api/memory/forget', { body });
    if (json) printJson(preview);
    else printPreview(preview);
    const count = preview.changed.length;
    if (dryRun || (count === 0 && (!permanent || preview.versions === 0))) return;
    const question = permanent
      ? `Remove ${formatCount(preview.versions, 'version')} of notes for good?`
      : `Forget this in ${formatCount(count, 'note')}?`;
    if (!(await isConfirmed(question, options))) return printLine('Nothing was changed.');
    await client.call('POST /api/memory/forget', { body: { ...body, digest: preview.digest } });
    if (!json) printLine(`Forgotten in ${formatCount(count, 'note')}.`);
  });
}

async function traceOf(client: Client, { thread, source }: Options): Promise<ForgetNotes['from']> {
  if ((thread === undefined) === (source === undefined)) throw new Error('Give either --thread or --source.');
  if (thread !== undefined) return { thread_id: await findThread(client, thread) };
  const [kind = '', ...name] = (source ?? '').split('=');
  return { source: { kind: kind as Kind, name: name.length === 0 ? null : name.join('=') } };
}

type Kind = NonNullable<ForgetNotes['from']['source']>['kind'];

function printPreview({ changed, kept }: ForgottenNotes): void {
  if (changed.length === 0) printLine('No note holds anything from there, except for those that are yours.');
  else
    printTable([
      ['path', 'goes', 'stays'],
      ...changed.map(({ path, text, stays }) => [path, shorten(text), shorten(stays?.text ?? null)]),
    ]);
  if (kept.length > 0) printLine(`Yours, so they stay: ${kept.map(({ path }) => path).join(', ')}`);
}

const MOST_LETTERS = 60;
const shorten = (text: string | null) =>
  text === null ? '(deleted)' : text.trim().replace(/\s+/g, ' ').slice(0, MOST_LETTERS);
