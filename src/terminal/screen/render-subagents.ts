import { truncateToWidth, visibleWidth } from '@earendil-works/pi-tui';
import { formatCost } from '@reborn-agent/client/format';
import { type Subagent, type SubagentState, stateOfSubagent } from '@reborn-agent/client/subagents';
import type { Look } from './look.ts';
import { oneLine } from './printable.ts';

const INDENT = 2;

/** Each subagent in one line, further in than what has started it: its task, how it stands with it, and what it has used. */
export const renderSubagents = (subagents: readonly Subagent[], width: number, look: Look): string[] =>
  subagents.map((subagent) => renderSubagent(subagent, width, look));

function renderSubagent(subagent: Subagent, width: number, { colours }: Look): string {
  const { waiting, running, failed, faint } = colours;
  const paint = { working: running, waiting, failed, done: faint, incomplete: failed, stopped: faint, deleted: faint };
  const state = stateOfSubagent(subagent);
  const facts = [paint[state](SUBAGENT_WORDS[state]), ...factsOf(subagent).map(faint)].join(faint(' · '));
  const indent = ' '.repeat(INDENT * (subagent.level + 1));
  const room = Math.max(1, width - indent.length - visibleWidth(facts) - 2);
  return truncateToWidth(`${indent}${truncateToWidth(oneLine(subagent.task), room, '…')}  ${facts}`, width);
}

export const SUBAGENT_WORDS: Record<SubagentState, string> = {
  working: 'working',
  waiting: 'waits for you',
  done: 'done',
  incomplete: 'cut off',
  failed: 'failed',
  stopped: 'stopped',
  deleted: 'deleted',
};

/** How long one took that has ended, and what it has cost; tokens where nothing is paid for them, or the price is unknown. */
function factsOf({ started_at: began, ended_at: ended, usd, tokens }: Subagent): string[] {
  const time = ended === null ? [] : [`${((Date.parse(ended) - Date.parse(began)) / 1000).toFixed(1)} s`];
  const used = usd > 0 ? [formatCost(usd)] : tokens > 0 ? [`${tokens} tokens`] : [];
  return [...time, ...used];
}
