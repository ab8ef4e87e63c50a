import { type Client, createClient } from '@reborn-agent/client';
import type { GateAnswer, OpenGate } from '@reborn-agent/client/api';
import { answerOf } from '@reborn-agent/client/gate-card';
import { readConfig } from '#config/config.ts';
import { giveSecret } from '#terminal/give-secret.ts';
import { askingSecrets } from '../ask-secret.ts';
import { tellTurn } from '../chat/tell-turn.ts';
import { withQuietService } from '../connect/with-service.ts';
import { printJson, printLine, printNotice } from '../print.ts';
import { runCommand } from '../run-command.ts';
import { getGate } from './find-gate.ts';

const ANSWERS = ['approve', 'always', 'deny'] as const;

export type AnswerOptions = {
  readonly reason?: string;
  readonly user?: string;
  readonly input?: string;
  readonly calls?: string;
  readonly mission?: true;
  readonly json?: true;
};

/** `reborn gate answer`: answers a gate, and prints the result of the turn that follows. */
export function answerGate(given: string, word: string, options: AnswerOptions): Promise<void> {
  return runCommand(async () => {
    const said = toAnswer(word, options);
    await withQuietService(readConfig(), async (service) => {
      const client = createClient(service.locate);
      const gate = await findAnswerable(client, given);
      const answer = options.calls === undefined ? said : answerOf(gate, chosenCalls(gate, options.calls));
      const { user_id: self } = await client.call('GET /api/me');
      if (gate.user_id !== self) return answerForOther(client, gate, answer, options);
      if (gate.kind === 'auth' && answer.answer === 'approve') await provideSecret(client, gate);
      const call = { params: { id: gate.id }, body: answer };
      await tellTurn(service, (follower) => follower.call('POST /api/gates/{id}', call), options);
    });
  });
}

function toAnswer(word: string, { reason, user, input, calls, mission }: AnswerOptions): GateAnswer {
  const answer = ANSWERS.find((each) => each === word);
  if (!answer) throw new Error(`Unknown answer "${word}". Choose ${ANSWERS.join(', ')}.`);
  if (reason !== undefined && answer !== 'deny') throw new Error('A reason goes with deny only.');
  if (user !== undefined && answer !== 'approve') throw new Error('A user goes with approve only.');
  if (input !== undefined && answer !== 'approve') throw new Error('Input goes with approve only.');
  if (calls !== undefined && answer !== 'approve') throw new Error('Numbers of calls go with approve only.');
  if (mission && answer !== 'always') throw new Error('--mission goes with always only.');
  const values = input !== undefined && { input: parseInput(input) };
  return {
    answer,
    ...(reason && { reason }),
    ...(user && { user_id: user }),
    ...(mission && { only: 'mission' }),
    ...values,
  };
}

/** The ids of the calls with these numbers on the card. */
function chosenCalls({ calls }: OpenGate, numbers: string): ReadonlySet<string> {
  return new Set(
    numbers.split(',').map((number) => {
      const call = calls[Number(number) - 1];
      if (!call) throw new Error(`The gate has no call "${number.trim()}". It asks about ${calls.length}.`);
      return call.call_id;
    }),
  );
}

/** The service checks the values. */
function parseInput(json: string): NonNullable<GateAnswer['input']> {
  try {
    return JSON.parse(json) as NonNullable<GateAnswer['input']>;
  } catch {
    throw new Error('Input must be JSON, such as {"seats":2}.');
  }
}

/** A gate that a person can answer. */
async function findAnswerable(client: Client, given: string): Promise<OpenGate> {
  const gate = await getGate(client, given);
  if (gate.kind === 'external-tool')
    throw new Error(`${gate.call.name} is run by the program that asked, which has to send its output.`);
  return gate;
}

/** Users can follow only their own threads. */
async function answerForOther(
  client: Client,
  { id, kind, call, user_id: user }: OpenGate,
  answer: GateAnswer,
  { json }: AnswerOptions,
): Promise<void> {
  if (kind === 'pairing' && answer.answer === 'approve' && !answer.user_id)
    throw new Error(`Name the user whose secrets ${user} may use: reborn gate answer ${id} approve --user <id>`);
  const accepted = await client.call('POST /api/gates/{id}', { params: { id }, body: answer });
  if (json) return printJson(accepted);
  printLine(`Answered. The thread of ${user} continues.`);
  if (kind === 'auth' && answer.answer === 'approve')
    printLine(
      `It waits again unless they have signed in; \`reborn tool auth ${call.name} --user ${user}\` does that for them.`,
    );
}

async function provideSecret(client: Client, gate: OpenGate): Promise<void> {
  const terminal = { input: process.stdin, output: process.stderr };
  const isGiven = await askingSecrets(terminal, (askSecret) =>
    giveSecret({ client, askSecret, say: printNotice }, gate),
  );
  if (!isGiven) throw new Error('Without it the call still waits. Run the command again, or answer deny.');
}
