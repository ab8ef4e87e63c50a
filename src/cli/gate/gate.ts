import type { OpenGate } from '@reborn-agent/client/api';
import type { Command } from 'commander';
import { withClient } from '../connect/with-client.ts';
import { shortId } from '../find-named.ts';
import { printJson, printLine, printTable } from '../print.ts';
import { describeGate, outlineGate } from './describe-gate.ts';
import { getGate, readGates } from './find-gate.ts';
import type { AnswerOptions } from './gate-answer.ts';

type Json = { readonly json?: true };

const ANSWER_HELP = `
A secret that the call lacks is asked for without showing it, or read from stdin if stdin is not a terminal.

Examples:
  reborn gate answer 3f2f8a9f always
  reborn gate answer 3f2f8a9f deny --reason "Ask Ann first."
  reborn gate answer 3f2f8a9f approve --calls 1,3
  reborn gate answer 3f2f8a9f approve < token.txt

Exit codes: 0 answered, 1 failed, 3 the turn waits again, 4 cut short by the model's limit, 130 cancelled with Ctrl+C.`;

/** `reborn gate`, `reborn approval`, `reborn pairing`: open gates, standing approvals and pairings. */
export function addGateCommands(program: Command): void {
  const gate = program.command('gate').description('List and answer pending approvals.');
  gate
    .command('list')
    .option('--json', 'print JSON')
    .description('List the open gates.')
    .addHelpText('after', '\nExample:\n  reborn gate list')
    .action(listGates);
  gate
    .command('show')
    .argument('<gate>', 'the id from the list')
    .option('--json', 'print JSON')
    .description('Show what a gate asks: in a sentence, by value, and exactly.')
    .addHelpText('after', '\nExample:\n  reborn gate show 3f2f8a9f')
    .action(showGate);
  gate
    .command('answer')
    .argument('<gate>', 'the id from the list')
    .argument('<answer>', 'approve, always or deny')
    .option('--reason <text>', 'why the call is denied; the model reads it')
    .option('--user <id>', 'for a pairing: whose secrets the webhook user may use')
    .option('--input <json>', 'the answer to a question of an MCP server: its fields and values')
    .option('--calls <numbers>', 'with approve: only these calls of the gate, such as 1,3; the others are denied')
    .option('--mission', 'with always: only for runs of the mission whose call it is')
    .option('--json', 'print the result as JSON when the turn ends')
    .description('Answer a gate, and print the turn that follows.')
    .addHelpText('after', ANSWER_HELP)
    .action(async (id: string, answer: string, options: AnswerOptions) =>
      (await import('./gate-answer.ts')).answerGate(id, answer, options),
    );

  const approval = program.command('approval').description('List and revoke standing approvals.');
  approval
    .command('list')
    .option('--json', 'print JSON')
    .description('List the approvals.')
    .addHelpText('after', '\nExample:\n  reborn approval list --json')
    .action(listApprovals);
  approval
    .command('revoke')
    .argument('<id>', 'the id from the list')
    .description('Revoke a standing approval. Such calls need approval again.')
    .addHelpText('after', '\nExample:\n  reborn approval revoke 0198c2d4-6d1e-7c3a-9b51-3f2f8a9f1c11')
    .action(revokeApproval);

  const pairing = program.command('pairing').description('List and remove pairings of webhook users.');
  pairing
    .command('list')
    .option('--json', 'print JSON')
    .description('List the pairings.')
    .addHelpText('after', '\nExample:\n  reborn pairing list')
    .action(showPairings);
  pairing
    .command('remove')
    .argument('<webhook-user>', 'such as webhook:triage')
    .description('Remove the pairing of a webhook user.')
    .addHelpText('after', '\nExample:\n  reborn pairing remove webhook:ann')
    .action(removePairing);
}

function listGates({ json }: Json): Promise<void> {
  return withClient(async (client) => {
    const gates = await readGates(client);
    if (json) return printJson(gates);
    if (gates.length === 0) return printLine('No open gates.');
    printTable([
      ['id', 'kind', 'user', 'calls'],
      ...gates.map((gate) => [shortId(gate.id), gate.kind, gate.user_id, outlineGate(gate)]),
    ]);
  });
}

function showGate(given: string, { json }: Json): Promise<void> {
  return withClient(async (client) => {
    const gate = await getGate(client, given);
    if (json) return printJson(gate);
    printLine(describeGate(gate));
    printLine(`Answer it: reborn gate answer ${shortId(gate.id)} approve`);
  });
}

function listApprovals({ json }: Json): Promise<void> {
  return withClient(async (client) => {
    const { approvals } = await client.call('GET /api/approvals');
    if (json) return printJson(approvals);
    if (approvals.length === 0) return printLine('No standing approvals.');
    for (const { id, user_id: user, tool, shape, situation, mission_id: mission, mission_name: name } of approvals) {
      const only = mission && `only for the mission ${name ?? mission}`;
      printLine([id, user, tool, ...REACH[situation], ...(only ? [only] : [])].join('  '));
      for (const line of shape) printLine(`  ${line}`);
    }
  });
}

/** How far a standing approval goes. */
const REACH: Record<OpenGate['situation'], string[]> = {
  clean: [],
  foreign: ['also after reading text by others'],
  both: ['also after reading text by others and private data'],
};

function revokeApproval(id: string): Promise<void> {
  return withClient(async (client) => {
    await client.call('DELETE /api/approvals/{id}', { params: { id } });
    printLine('Revoked. Such calls are asked about again.');
  });
}

function showPairings({ json }: Json): Promise<void> {
  return withClient(async (client) => {
    const { pairings } = await client.call('GET /api/pairings');
    if (json) return printJson(pairings);
    if (pairings.length === 0) return printLine('No webhook user is paired.');
    printTable([
      ['webhook user', 'uses the secrets of'],
      ...pairings.map(({ user_id: user, paired_user_id: paired }) => [user, paired]),
    ]);
  });
}

function removePairing(userId: string): Promise<void> {
  return withClient(async (client) => {
    await client.call('DELETE /api/pairings/{user_id}', { params: { user_id: userId } });
    printLine(`Removed. ${userId} can use only its own secrets.`);
  });
}
