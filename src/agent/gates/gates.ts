import { InvalidRequest } from '#domain/errors.ts';
import { type GateId, type MissionId, newId, type ThreadId, type TurnId, type WorkspaceId } from '#domain/ids.ts';
import { blockReasonOf } from '#domain/thread/item.ts';
import { isWebhookUser } from '#domain/thread/job.ts';
import type { Situation } from '#domain/thread/origin.ts';
import { refusalAt } from '#domain/thread/turn.ts';
import type { AllowedBy } from '#domain/tool/allowed-by.ts';
import { shapeOf } from '#domain/tool/argument-shape.ts';
import type { DecidedAtGate } from '#domain/tool/call-decision.ts';
import { digestCall, digestShape } from '#domain/tool/call-digest.ts';
import type { AskedCall, Gate, GatedCall, GateFacts, GateKind, NewGate } from '#domain/tool/gate.ts';
import type { ReadSoFar } from '#domain/tool/read-so-far.ts';
import { WEB_FETCH } from '#domain/tool/reserved-names.ts';
import type { ToolLevel } from '#domain/tool/tool.ts';
import { type Database, type Owner, withOwner } from '#store/connection.ts';
import { readWebUse } from '#store/spending/web-use.ts';
import { findApproval, findUsedApproval, type GivenApproval } from '#store/tools/approvals.ts';
import { findCallQuestion } from '#store/tools/call-questions.ts';
import { hasSiteGrant } from '#store/tools/site-grants.ts';
import { hasStandingApproval } from '#store/tools/standing-approvals.ts';
import { type AnsweredQuestion, flowOf, isInstalled, type Tool, type ToolSet } from '#tools/tool.ts';
import { cardOf } from './call-card.ts';
import { type CallFacts, type JudgedCall, judgeCall } from './judge-call.ts';
import { findSecretsOwner } from './pairings.ts';
import { findPolicy } from './policy-settings.ts';

/** Whether a call can run: it needs a gate, the operator forbids it, or it is allowed. */
export type CallDecision =
  | { readonly kind: 'gate'; readonly gate: NewGate }
  | { readonly kind: 'forbidden' }
  | AllowedCall;

/** The call can run, with the tool that was checked. Running it uses up the approval, if there is one. */
export type AllowedCall = {
  readonly kind: 'allowed';
  readonly tool: Tool | undefined;
  readonly secretsOf: Owner;
  readonly approval: GateId | undefined;
  /** What the model had read when it wrote the call. */
  readonly situation: Situation;
  /** The addresses that the person had written by then. */
  readonly ownLinks?: (() => ReadonlySet<string>) | undefined;
  /** Where the texts come from that it had read. */
  readonly seen?: ReadSoFar['seen'];
  /** What lets it run; undefined if an earlier attempt has started it without an approval, and it would ask now. */
  readonly allowedBy?: AllowedBy | undefined;
  /** Who approved it, and when. */
  readonly decided?: DecidedAtGate | undefined;
  /** A person has answered the question of the tool's server. */
  readonly answered?: AnsweredQuestion | undefined;
};

export type DecisionFacts = {
  readonly db: Database;
  readonly owner: Owner;
  readonly tools: ToolSet;
  readonly workspace: WorkspaceId;
  readonly threadId: ThreadId;
  /** The first turn of the chain that the call belongs to. */
  readonly run: TurnId;
  readonly mission: MissionId | undefined;
  /** The addresses that other runs of the same tree have opened; missing for a run without children that is none. */
  readonly openedInTree?: (() => Promise<readonly string[]>) | undefined;
  /** What the model had read when it wrote the call. */
  readBefore(call: GatedCall): ReadSoFar;
  /** The calls of the same answer that come after the call and have no output yet. */
  callsAfter(call: GatedCall): readonly GatedCall[];
  /** The level, raised if the model has read suspicious text or the call would send some. */
  raise(tool: Tool, call: GatedCall, level: ToolLevel): Promise<ToolLevel>;
  /** An earlier attempt has started the call and crashed before the output was written. */
  readonly started: boolean;
};

/** Whether a call can run now. Approval is checked last, so that it does not expire while the user signs in. */
export async function decideCall(call: GatedCall, facts: DecisionFacts): Promise<CallDecision> {
  const { db, owner, tools, started } = facts;
  if (call.external) return gateAt('external-tool', call);
  const tool = tools.find(call.name);
  const read = facts.readBefore(call);
  const { situation, ownLinks, seen } = read;
  if (!tool || blockReasonOf(call)) return { kind: 'allowed', tool, secretsOf: owner, approval: undefined, situation };

  const judged = await judge(tool, call, read, facts);
  const { level } = judged;
  if (level === 'never') return { kind: 'forbidden' };
  const secretsOf = await findSecretsOwner(db, owner);
  if (await tool.needsSignIn?.(secretsOf)) return gateAt(signInGate(owner, secretsOf), call);

  const digest = digestCall(call, tool.revision ?? null);
  const asked = tool.asks && (await withOwner(db, owner, (trx) => findCallQuestion(trx, owner, call.id)));
  if (asked && asked.digest === digest) {
    // The person has seen the call together with the question, so the answer approves it.
    if (!asked.input) return gateAt('input', call, tool.revision);
    const answered = { state: asked.state, input: asked.input };
    return { kind: 'allowed', tool, secretsOf, approval: undefined, situation, seen, allowedBy: 'approval', answered };
  }

  const allowed = { kind: 'allowed', tool, secretsOf, approval: undefined, situation, ownLinks, seen } as const;
  if (level === 'allow' && judged.by !== 'always') return { ...allowed, allowedBy: judged.by };
  const state = await tool.state?.(owner, facts.workspace);
  if (level === 'allow') {
    const answered = started
      ? await usedApprovalOf(tool, call, facts, state)
      : await approvalOf(tool, call, facts, state);
    return { ...allowed, allowedBy: judged.by, decided: byPerson(answered).decided }; // the answer that has made the rule
  }
  if (started) return { ...allowed, ...byPerson(await usedApprovalOf(tool, call, facts, state)) };
  const approval = await approvalOf(tool, call, facts, state);
  if (approval) return { ...allowed, approval: approval.gateId, ...byPerson(approval) };
  const shown = await factsOf(tool, call, read, judged, facts);
  return gateAt('approval', call, tool.revision, state === undefined ? shown : { ...shown, state });
}

function gateAt(kind: GateKind, call: GatedCall, revision?: string, asked?: GateFacts): CallDecision {
  const gate = {
    id: newId<GateId>(),
    kind,
    call,
    ...(revision !== undefined && { revision }),
    ...(asked && { asked }),
  };
  return { kind: 'gate', gate };
}

/** The level of a call by its origin. The search for phrases is a second layer, which can only raise it. */
async function judge(tool: Tool, call: GatedCall, own: ReadSoFar, facts: DecisionFacts): Promise<JudgedCall> {
  const elsewhere = call.name === WEB_FETCH ? await facts.openedInTree?.() : undefined;
  const read = elsewhere ? { ...own, opened: [...own.opened, ...elsewhere] } : own;
  const judged = await judgeCall(tool, call, callFacts(tool, call, read, facts));
  const level = await facts.raise(tool, call, judged.level);
  return level === judged.level
    ? judged
    : { level, reason: 'phrases', ...(judged.address && { address: judged.address }) };
}

const approvalOf = (tool: Tool, call: GatedCall, { db, owner }: DecisionFacts, state?: string) =>
  withOwner(db, owner, (trx) => findApproval(trx, owner, shownAs(tool, call, state)));

const usedApprovalOf = (tool: Tool, call: GatedCall, { db, owner }: DecisionFacts, state?: string) =>
  withOwner(db, owner, (trx) => findUsedApproval(trx, owner, shownAs(tool, call, state)));

function byPerson(approval: GivenApproval | undefined): Pick<AllowedCall, 'allowedBy' | 'decided'> {
  if (!approval) return { allowedBy: undefined };
  const { answeredBy: by, createdAt } = approval;
  return {
    allowedBy: 'approval',
    ...(by && { decided: { answer: 'approved', by, at: createdAt.toISOString() } }),
  };
}

const shownAs = (tool: Tool, call: GatedCall, state?: string) => ({
  callId: call.id,
  digest: digestCall(call, tool.revision ?? null, state),
});

/** More sources would hide those that matter. The newest are kept. */
const MOST_SOURCES = 20;

/** What the card says. The other calls of the answer that need an approval stand on the same card, unless one can't be undone. */
async function factsOf(
  tool: Tool,
  call: GatedCall,
  read: ReadSoFar,
  { reason, address }: JudgedCall,
  facts: DecisionFacts,
): Promise<GateFacts> {
  const { irreversible, hosts, grants } = flowOf(tool, call.arguments);
  // What the first call does changes the state of the next ones.
  const others = irreversible || grants || tool.state ? [] : await othersToAsk(facts.callsAfter(call), facts);
  const card = await cardOf(tool, call.arguments, facts.owner);
  return {
    ...(reason && { reason }),
    situation: read.situation,
    because: read.sources.slice(-MOST_SOURCES),
    ...(address && { address }),
    ...(hosts && { address: { kind: 'network', hosts } }),
    ...(grants && { address: { kind: 'research', ...grants } }),
    ...(others.length > 0 && { others }),
    ...(facts.mission && { mission: facts.mission }),
    ...(irreversible && { irreversible }),
    ...(card && { card }),
  };
}

async function othersToAsk(calls: readonly GatedCall[], facts: DecisionFacts): Promise<AskedCall[]> {
  const asked: AskedCall[] = [];
  for (const call of calls) {
    const tool = facts.tools.find(call.name);
    const { irreversible, grants } = flowOf(tool, call.arguments);
    if (call.external || !tool || tool.state || irreversible || grants || blockReasonOf(call)) continue;
    const { level, address } = await judge(tool, call, facts.readBefore(call), facts);
    if (level !== 'ask' || (await approvalOf(tool, call, facts))) continue;
    const card = await cardOf(tool, call.arguments, facts.owner);
    asked.push({ call, revision: tool.revision ?? null, ...(address && { address }), ...(card && { card }) });
  }
  return asked;
}

/** A webhook user can't sign in. It must be paired with a user whose secrets it can use. */
function signInGate(owner: Owner, secretsOf: Owner): GateKind {
  return isWebhookUser(owner.userId) && secretsOf.userId === owner.userId ? 'pairing' : 'auth';
}

function callFacts(tool: Tool, call: GatedCall, read: ReadSoFar, facts: DecisionFacts): CallFacts {
  const { db, owner, run, mission } = facts;
  return {
    owner,
    read,
    operatorLevel: () => findPolicy(db, call.name, isInstalled(tool) ? owner.userId : undefined),
    isAlwaysApproved: () => {
      const shapes = [shapeOf(call.arguments), shapeOf(call.arguments, 'stays')];
      const digests = [undefined, ...(mission ? [mission] : [])].flatMap((limit) =>
        shapes.map((shape) => digestShape(call, tool.revision ?? null, shape, limit)),
      );
      return withOwner(db, owner, (trx) => hasStandingApproval(trx, owner, digests, read.situation));
    },
    isResearch: async () => {
      const { research, ofRun } = await withOwner(db, owner, (trx) => readWebUse(trx, owner, facts));
      return research !== null && Math.max(ofRun.pages, read.opened.length) < research.pages;
    },
    isSiteGranted: (site) => withOwner(db, owner, (trx) => hasSiteGrant(trx, owner, { run, site })),
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
