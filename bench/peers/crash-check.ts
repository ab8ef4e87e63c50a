import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ScriptedModel } from '../../test/support/scripted-model.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { ask, askUntil } from './ask.ts';
import { crash, start, stop } from './lifetime.ts';
import type { Peer, Running, Setup } from './peer.ts';
import { findKept, type Kept, QUESTIONS, wordsOf } from './script.ts';

/** The age of the old turn. */
const OLD_MS = 5000;
/** A server that continues an interrupted turn by itself does so in this time. */
const CONTINUE_MS = 20_000;

/** How long a conversation may refuse messages after a restart. */
const RECOVER_MS = 60_000;

export type Survival = Kept & {
  readonly continuedByItself: boolean;
  /** Without an answer, what was kept is unknown: the prompt shows it. */
  readonly answersAgain: boolean;
};

/**
 * Two turns that end, one that is killed in the middle of its stream, and a restart. The prompt of the last turn shows what
 * the server kept.
 */
export async function checkCrash(
  server: Running,
  { peer, setup, model }: { peer: Peer; setup: Setup; model: ScriptedModel },
): Promise<Survival> {
  const conversation = (await server.createConversation?.()) ?? randomUUID();
  await ask(server, { text: QUESTIONS.old, stream: false, conversation }, wordsOf('old'));
  await sleep(OLD_MS);
  await ask(server, { text: QUESTIONS.recent, stream: false, conversation }, wordsOf('recent'));
  await askUntil(server, { text: QUESTIONS.interrupted, stream: true, conversation }, 'interrupted20');
  const before = model.seen.length;
  await crash(server);

  const restarted = await start(peer, setup);
  const findPrompt = (question: string) =>
    model.seen
      .slice(before)
      .filter(({ by }) => by === peer.name)
      .map(({ messages }) => messages.map(({ text }) => text).join('\n'))
      .find((text) => text.includes(question));
  const continued = await waitFor('it', async () => findPrompt(QUESTIONS.interrupted), CONTINUE_MS).catch(() => '');
  const askLast = () => ask(restarted, { text: QUESTIONS.last, stream: false, conversation }, wordsOf('last'));
  const answersAgain = await waitFor(
    'an answer after the restart',
    () =>
      askLast().then(
        () => true,
        () => sleep(1000, false),
      ),
    RECOVER_MS,
  ).catch(() => false);
  await stop(restarted);
  return { ...findKept(findPrompt(QUESTIONS.last) ?? ''), continuedByItself: continued !== '', answersAgain };
}
