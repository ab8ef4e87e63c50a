import { flushCompileCache } from 'node:module';
import { moveUser } from '#cells/move-user.ts';
import { openDatabase } from '#database/open-database.ts';
import { newId } from '#domain/ids.ts';
import { connectEngineClient } from '#engine/engine-connection.ts';
import { openIdentities } from '#store/identity-connection.ts';

/** Moves a user from cell 1 to cell 2 as the command does, and is killed after a step. The arguments: step, user, and where both databases are. */
const [step, subject = '', ...places] = process.argv.slice(2);

const [source, target] = await Promise.all(places.map(connect));
if (!source || !target) throw new Error('Two databases are needed.');
const die = () => {
  flushCompileCache(); // the next one starts faster
  process.kill(process.pid, 'SIGKILL');
};
await moveUser({
  source,
  target,
  subject,
  cells: { source: 1, target: 2 },
  actor: 'command-line',
  id: newId<string>(),
  onStep: async (reached) => {
    if (reached !== step) return;
    die();
    await new Promise(() => {}); // the signal comes in a moment
  },
});

async function connect(place: string) {
  const isUrl = place.startsWith('postgres');
  const { connection } = await openDatabase(isUrl ? { url: place, home: '' } : { url: undefined, home: place });
  const client = await connectEngineClient(connection, () => {});
  await openIdentities(client);
  return client;
}
