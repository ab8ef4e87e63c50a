import { InvalidRequest } from '#domain/errors.ts';
import { type GateId, newId } from '#domain/ids.ts';
import { blockReasonOf } from '#domain/thread/item.ts';
import { isWebhookUser } from '#domain/thread/job.ts';
import { refusalAt } from '#domain/thread/turn.ts';
import { shapeOf } from '#domain/tool/argument-shape.ts';
import { digestCall, digestShape } from '#domain/tool/call-digest.ts';
import type { Gate, GatedCall, GateKind, NewGate } from '#domain/tool/gate.ts';
import type { ToolLevel } from '#domain/tool/tool.ts';
import { type Database, type Owner, withOwner } from '#store/connection.ts';
import { findApproval } from '#store/tools/approvals.ts';
import { findCallQuestion } from '#store/tools/call-questions.ts';
import { hasStandingApproval } from '#store/tools/standing-approvals.ts';
import type { AnsweredQuestion, LevelFacts, Tool, ToolSet } from '#tools/tool.ts';
import { findSecretsOwner } from './pairings.ts';
import { findPolicy } from './policy-settings.ts';
import { levelOf, type PolicyFacts } from './tool-policy.ts';

/** Whether a call can run: it needs a gate, the operator forbids it, or it is open. */
export type Passage = { readonly kind: 'gate'; readonly gate: NewGate } | { readonly kind: 'forbidden' } | OpenPassage;

/** The call can run, with the tool that was checked. Running it uses up the approval, if there is one. */
export type OpenPassage = {
  readonly kind: 'open';
  readonly tool: Tool | undefined;
  readonly secretsOf: Owner;
  readonly approval: GateId | undefined;
  /** A person has answered the question of the tool's server. */
  readonly answered?: AnsweredQuestion | undefined;
};

export type PassageFacts = Omit<LevelFacts, 'owner'> & {
  readonly db: Database;
  readonly owner: Owner;
  readonly tools: ToolSet;
  /** The level, raised if the model has read suspicious text or the call would send some. */
  raise(tool: Tool, call: GatedCall, level: ToolLevel): Promise<ToolLevel>;
  /** An earlier attempt has started the call and crashed before the output was written. */
  readonly started: boolean;
};

/** Whether a call can run now. Approval is checked last, so that it does not expire while the user signs in. */
export async function passageFor(call: GatedCall, facts: PassageFacts): Promise<Passage> {
  const { db, owner, tools, started } = facts;
  if (call.external) return gateAt('external-tool', call);
  const tool = tools.find(call.name);
  if (!tool || blockReasonOf(call)) return { kind: 'open', tool, secretsOf: owner, approval: undefined };

  const level = await facts.raise(tool, call, await levelOf(tool, call, policyFacts(tool, call, facts)));
  if (level === 'never') return { kind: 'forbidden' };
  const secretsOf = await findSecretsOwner(db, owner);
  if (await tool.needsSignIn?.(secretsOf)) return gateAt(signInGate(owner, secretsOf), call);

  const digest = digestCall(call, tool.revision ?? null);
  const asked = tool.asks && (await withOwner(db, owner, (trx) => findCallQuestion(trx, owner, call.id)));
  if (asked && asked.digest === digest) {
    // The person has seen the call together with the question, so the answer approves it.
    if (!asked.input) return gateAt('input', call, tool.revision);
    return { kind: 'open', tool, secretsOf, approval: undefined, answered: { state: asked.state, input: asked.input } };
  }

  if (level === 'allow' || started) return { kind: 'open', tool, secretsOf, approval: undefined };
  const shown = { callId: call.id, digest };
  const approval = await withOwner(db, owner, (trx) => findApproval(trx, owner, shown));
  return approval ? { kind: 'open', tool, secretsOf, approval } : gateAt('approval', call, tool.revision);
}

function gateAt(kind: GateKind, call: GatedCall, revision?: string): Passage {
  return { kind: 'gate', gate: { id: newId(), kind, call, ...(revision !== undefined && { revision }) } };
}

/** A webhook user can't sign in. It must be paired with a user whose secrets it can use. */
function signInGate(owner: Owner, secretsOf: Owner): GateKind {
  return isWebhookUser(owner.userId) && secretsOf.userId === owner.userId ? 'pairing' : 'auth';
}

function policyFacts(tool: Tool, call: GatedCall, { db, owner, userTexts }: PassageFacts): PolicyFacts {
  return {
    owner,
    userTexts,
    operatorLevel: () => findPolicy(db, call.name, tool.revision === undefined ? undefined : owner.userId),
    isAlwaysApproved: () => {
      const digest = digestShape(call, tool.revision ?? null, shapeOf(call.arguments));
      return withOwner(db, owner, (trx) => hasStandingApproval(trx, owner, digest));
    },
  };
}

/** The call_id that opens `gate`; a wrong answer leaves the thread waiting. */
export function checkAnswer<Open extends Gate>(gate: Open | undefined, callIds: readonly string[]): Open {
  if (gate && gate.kind !== 'external-tool')
    throw new InvalidRequest('no_pending_call', 'input', refusalAt(gate).message);
  if (!gate) throw new InvalidRequest('no_pending_call', 'input', 'This thread is not waiting for a tool result.');
  if (callIds.length !== 1 || callIds[0] !== gate.call.callId)
    throw new InvalidRequest(
      'call_id_mismatch',
      'input.call_id',
      `The thread waits for call_id "${gate.call.callId}" alone.`,
    );
  return gate;
}
