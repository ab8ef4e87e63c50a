import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type Subagent, type SubagentState, stateOfSubagent } from '@reborn-agent/client/subagents';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatDuration } from '../../../format/time.ts';
import { Button, IconButton } from '../../../parts/button.tsx';
import { Cost } from '../../../parts/cost.tsx';
import { Icon, type IconName } from '../../../parts/icon.tsx';
import { RunningRing } from '../../../parts/running-ring.tsx';
import { useActions } from '../../chat-actions.ts';
import { Elapsed } from '../working.tsx';
import { StepFold } from './step-line.tsx';
import type { SubagentStep } from './step-pieces.ts';

/** Deeper ones are shown when they are asked for. */
const MOST_LEVELS = 2;

/** Subagents that were started together: how it stands with each, and with those that it has started itself. */
export function SubagentsCard({ steps }: { readonly steps: readonly SubagentStep[] }) {
  const [isWhole, setWhole] = useState(false);
  const own = steps.flatMap(({ subagents }) => subagents.slice(0, 1));
  const lines = steps.flatMap((step) => step.subagents.map((subagent) => ({ subagent, step })));
  const shown = isWhole ? lines : lines.filter(({ subagent }) => subagent.level < MOST_LEVELS);
  const count = lines.length;
  const title = plural(own.length, { one: '# subagent', other: '# subagents' });
  return (
    <section className="card my-2 min-w-0 overflow-hidden" aria-label={title}>
      <header className="flex min-h-target items-center gap-2 px-3.5 py-2">
        <Icon name="users" className="text-soft" />
        <span className="min-w-0 flex-1 truncate font-medium">{title}</span>
        <span className="shrink-0 text-meta tabular-nums text-soft">
          <TotalTime subagents={own} /> <Used subagents={lines.map(({ subagent }) => subagent)} />
        </span>
      </header>
      <ul className="divide-y divide-line border-t border-line">
        {shown.map(({ subagent, step }) => (
          <SubagentLine key={subagent.call} subagent={subagent} step={step} />
        ))}
      </ul>
      {shown.length < count && (
        <Button look="quiet" className="w-full" onClick={() => setWhole(true)}>
          <Trans>Show all {count}</Trans>
        </Button>
      )}
    </section>
  );
}

type LineProps = {
  readonly subagent: Subagent;
  /** The call that has started it, or one above it. */
  readonly step: SubagentStep;
};

function SubagentLine({ subagent, step }: LineProps) {
  const { stopSubagent } = useActions();
  const [stopping, setStopping] = useState(false);
  const { task, thread_id: threadId, level, call, state } = subagent;
  return (
    <li className="flex items-start pe-2" style={{ paddingInlineStart: `${0.875 + level * 1.25}rem` }}>
      <details className="group/step min-w-0 flex-1">
        <summary className="flex items-center gap-3 rounded py-2 hover:text-ink">
          <StateIcon state={stateOfSubagent(subagent)} />
          <span className="min-w-0 flex-1">
            <span className="block truncate text-ink">
              <bdi>{task}</bdi>
            </span>
            <span className="block text-meta tabular-nums text-soft">
              <StateWords state={stateOfSubagent(subagent)} /> · <TotalTime subagents={[subagent]} />{' '}
              <Used subagents={[subagent]} />
            </span>
          </span>
          <Icon name="right" className="text-soft transition-transform group-open/step:rotate-90" />
        </summary>
        <p className="pb-2 ps-7">
          <Link to="/threads/$threadId" params={{ threadId }} className="link inline-flex min-h-target items-center">
            <Trans>Open its thread</Trans>
          </Link>
        </p>
        {level === 0 && <StepFold step={step} />}
      </details>
      {state !== 'ended' && (
        <IconButton
          icon="stop"
          label={t`Stop: ${task}`}
          disabled={stopping}
          className="mt-[calc((58px-var(--spacing-target))/2)]"
          onClick={() => {
            setStopping(true);
            void stopSubagent(call).then(() => setStopping(false));
          }}
        />
      )}
    </li>
  );
}

const ICONS: Record<Exclude<SubagentState, 'working'>, readonly [IconName, string]> = {
  waiting: ['shield', 'text-waiting'],
  done: ['check', 'text-soft'],
  incomplete: ['warning', 'text-failed'],
  failed: ['warning', 'text-failed'],
  stopped: ['stop', 'text-soft'],
  deleted: ['trash', 'text-soft'],
};

function StateIcon({ state }: { readonly state: SubagentState }) {
  if (state === 'working')
    return (
      <span className="grid size-4 shrink-0 place-items-center">
        <RunningRing />
      </span>
    );
  const [name, colour] = ICONS[state];
  return <Icon name={name} className={colour} />;
}

function StateWords({ state }: { readonly state: SubagentState }) {
  switch (state) {
    case 'working':
      return <Trans context="subagent">working</Trans>;
    case 'waiting':
      return (
        <span className="text-waiting">
          <Trans context="subagent">waits for you</Trans>
        </span>
      );
    case 'done':
      return <Trans context="subagent">done</Trans>;
    case 'incomplete':
      return <Trans context="subagent">cut off</Trans>;
    case 'failed':
      return (
        <span className="text-failed">
          <Trans context="subagent">failed</Trans>
        </span>
      );
    case 'stopped':
      return <Trans context="subagent">stopped</Trans>;
    case 'deleted':
      return <Trans context="subagent">deleted</Trans>;
  }
}

/** From the first start to the last end. */
function TotalTime({ subagents }: { readonly subagents: readonly Subagent[] }) {
  const began = Math.min(...subagents.map(({ started_at: at }) => Date.parse(at)));
  if (subagents.some(({ ended_at: at }) => at === null)) return <Elapsed since={began} />;
  return formatDuration(Math.max(...subagents.map(({ ended_at: at }) => Date.parse(at ?? ''))) - began);
}

/** What they have cost; tokens where nothing is paid for them, or the price is unknown. What has ended includes those below it. */
function Used({ subagents }: { readonly subagents: readonly Subagent[] }) {
  const ended = new Set(subagents.flatMap(({ state, thread_id: id }) => (state === 'ended' ? id : [])));
  const counted = subagents.filter(({ parent_id: parent }) => !ended.has(parent));
  const usd = counted.reduce((sum, each) => sum + each.usd, 0);
  const tokens = counted.reduce((sum, each) => sum + each.tokens, 0);
  if (usd > 0)
    return (
      <>
        · <Cost usd={usd} />
      </>
    );
  return tokens > 0 ? `· ${plural(tokens, { one: '# token', other: '# tokens' })}` : null;
}
