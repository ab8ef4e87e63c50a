import { readConfig } from '#config/config.ts';
import { giveSecret } from '#terminal/give-secret.ts';
import type { GateAnswer, WireGate } from '#terminal/service/gateway-messages.ts';
import { createServiceClient, type ServiceClient } from '#terminal/service/service-client.ts';
import { askingSecrets } from '../ask-secret.ts';
import { tellTurn } from '../chat/tell-turn.ts';
import { withQuietService } from '../connect/with-service.ts';
import { printJson, printLine, printNotice } from '../print.ts';
import { runCommand } from '../run-command.ts';

const ANSWERS = ['approve', 'always', 'deny'] as const;

type Options = { readonly reason?: string; readonly user?: string; readonly json?: true };

/** `reborn gate answer`: lets a call that waits go on, or not, and prints what comes of it. */
export function answerGate(id: string, word: string, options: Options): Promise<void> {
  return runCommand(async () => {
    const answer = toAnswer(word, options);
    await withQuietService(readConfig(), async (service) => {
      const client = createServiceClient({ ...service, onState() {}, onMessage() {} });
      try {
        const gate = await getGate(client, id);
        const { user_id: self } = (await client.get('/api/me')) as { user_id: string };
        if (gate.user_id !== self) return await answerForOther(client, gate, answer, options);
        if (gate.kind === 'auth' && answer.answer === 'approve') await provideSecret(client, gate);
      } finally {
        client.close();
      }
      await tellTurn(service, (follower) => follower.answerGate(id, answer), options);
    });
  });
}

function toAnswer(word: string, { reason, user }: Options): GateAnswer {
  const answer = ANSWERS.find((each) => each === word);
  if (!answer) throw new Error(`"${word}" is no answer. Choose ${ANSWERS.join(', ')}.`);
  if (reason !== undefined && answer !== 'deny') throw new Error('A reason goes with deny only.');
  if (user !== undefined && answer !== 'approve') throw new Error('A user goes with approve only.');
  return { answer, ...(reason && { reason }), ...(user && { user_id: user }) };
}

async function getGate(client: ServiceClient, id: string): Promise<WireGate> {
  const gate = (await client.listGates()).find((each) => each.id === id);
  if (!gate)
    throw new Error('There is no such gate, or it was answered already. `reborn gate list` shows the open ones.');
  if (gate.kind === 'external-tool')
    throw new Error(`${gate.call.name} is run by the program that asked, which has to send its output.`);
  return gate;
}

/** Only their own thread is anybody's to follow. */
async function answerForOther(
  client: ServiceClient,
  { id, kind, call, user_id: user }: WireGate,
  answer: GateAnswer,
  { json }: Options,
): Promise<void> {
  if (kind === 'pairing' && answer.answer === 'approve' && !answer.user_id)
    throw new Error(`Name the user whose secrets ${user} may use: reborn gate answer ${id} approve --user <id>`);
  const accepted = await client.answerGate(id, answer);
  if (json) return printJson(accepted);
  printLine(`Answered. The thread of ${user} goes on.`);
  if (kind === 'auth' && answer.answer === 'approve')
    printLine(
      `It waits again unless they have signed in; \`reborn tool auth ${call.name} --user ${user}\` does that for them.`,
    );
}

async function provideSecret(client: ServiceClient, gate: WireGate): Promise<void> {
  const terminal = { input: process.stdin, output: process.stderr };
  const isGiven = await askingSecrets(terminal, (askSecret) =>
    giveSecret({ client, askSecret, say: printNotice }, gate),
  );
  if (!isGiven) throw new Error('Without it the call still waits. Run the command again, or answer deny.');
}
