import { readFile } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import { installFunctions } from '#database/install-functions.ts';
import { packageFile } from '#program-files.ts';

/** The schema of version 0.2: the tables in `baseline`, the functions of each room, and the triggers that call them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const file of TABLES) await run(db, file);
  await installFunctions(db, functions);
  await run(db, 'triggers');
}

async function run(db: Kysely<unknown>, file: string): Promise<void> {
  await sql.raw(await readFile(packageFile(`migrations/baseline/${file}.sql`), 'utf8')).execute(db);
}

/** A table comes after those that it refers to. */
const TABLES = [
  'engine',
  'accounts',
  'threads',
  'gates',
  'attachments',
  'workspaces',
  'sources',
  'documents',
  'tools',
  'memory',
  'spending',
  'webhooks',
  'missions',
  'notifications',
  'chats',
  'lifecycle',
  'cells',
];

export const functions = {
  'engine/accept_turns': '0dedd83fe4c5',
  'engine/append_items': 'fc9dffe067d1',
  'engine/claim_turns': '9650cce56ba6',
  'engine/count_calls': '972eea79fe00',
  'engine/end_deliveries': '8c15bed95ce4',
  'engine/number_after_gate': 'b84c8280f258',
  'engine/refuse_moving': '7634ee046e38',
  'engine/release_deliveries': '067c91ecf8e9',
  'engine/release_updates': 'c78520ea96c7',
  'engine/route_outbox': 'f827ce75f1dd',
  'engine/settle_turns': '76f4b3615efb',
  'engine/take_deliveries': '32d6b3f8ad1e',
  'engine/take_over_turns': 'c95105a68a99',
  'engine/take_updates': '5a9c59504a74',
  'engine/take_workspace': 'e0941943ad41',
  'engine/thread_context': '5ce5219f67b6',
  'engine/user_context': 'caa5f9b9d7fe',
  'engine/write_items': '47da11c06fab',
  'engine/write_version': 'f76ebd567e25',
  'lifecycle/count_erased': 'f0c5d5456949',
  'lifecycle/erase_batch': '26fabeb880e7',
  'lifecycle/erase_mentions': 'b62e83eca8c0',
  'lifecycle/erase_owned': '13b3b765622d',
  'lifecycle/erase_threads': '5603807b1d0c',
  'lifecycle/purge_audit': 'e04d8122e04f',
  'lifecycle/purge_threads': '528f71279f0b',
  'lifecycle/thin_versions': '2b2e838699bc',
  'store/announce_job': 'cd424919b5c3',
  'store/announce_pause': '2438fd8e6fff',
  'store/announce_run': '216cd665b163',
  'store/announce_turn': '57870253e7a0',
  'store/forget_devices_of_session': 'c415e525244c',
  'store/forget_devices_of_token': 'f2ce481054c6',
  'store/note_idle_attachment': '66a62f409adf',
  'store/note_lexemes': '3a498fbcbf7c',
  'store/note_unused_object': '067d189b5b90',
  'store/owners_of_secrets_under_other_keys': '69c6da35269e',
  'store/refuse_audit_change': '55aab10116d7',
  'store/remove_mcp_tokens': '3ef042fcf3ff',
  'store/signal_removal': '776aaaddd0fc',
  'store/start_missions': '28fdf4ca874c',
  'store/take_uses': '3b03398955ea',
};
