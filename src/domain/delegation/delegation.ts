import type { ItemId } from '../ids.ts';
import type { TurnAssistant } from '../work/assistant.ts';

/** The tool that starts a child: a run in its own thread, which belongs to one call of another run. */
export const AGENT_RUN = 'reborn_agent_run';

/** How far runs may delegate. */
export type DelegationLimits = {
  /** How many levels of children there may be; 0: no run starts any. */
  readonly depth: number;
  /** Children that work or wait at the same time, of one run. */
  readonly active: number;
  /** Children of one run, and of a whole tree. */
  readonly perRun: number;
  readonly perTree: number;
  /** The most tokens that one child may use, together with its own children. */
  readonly tokensPerChild: number;
};

/** What the turns of a child know of it. */
export type ChildRun = {
  /** The call that it belongs to. */
  readonly call: ItemId;
  /** 1 for a child of a run that is not a child. */
  readonly depth: number;
  readonly tokensPerRun: number;
  readonly usdPerRun: number | null;
};

/** What a child gets from the run that starts it, besides its task. */
export type Above = {
  /** The person's own words there: addresses that the person named are named for the child, too. */
  readonly ownTexts: readonly string[];
  /** The addresses that were opened there since the person's last message. */
  readonly opened: readonly string[];
  /** The other assistants that answer there, whose limits hold for the child, too. */
  readonly assistants?: readonly TurnAssistant[];
};

/** `waiting`: for a person, at a gate of its thread. */
export type DelegationState = 'active' | 'waiting' | 'ended';
export type DelegationOutcome = 'completed' | 'incomplete' | 'failed' | 'cancelled' | 'deleted';

/** Whether a child was started, or why not. `known`: by an earlier send of the same call. */
export type StartOutcome =
  | 'started'
  | 'known'
  | 'depth'
  | 'active'
  | 'run'
  | 'tree'
  | 'budget'
  | 'cancelled'
  | 'busy'
  | 'lost';
