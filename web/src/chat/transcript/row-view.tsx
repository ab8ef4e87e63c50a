import { Trans } from '@lingui/react/macro';
import type { OpenGate } from '@reborn-agent/client/api';
import { Suspense } from 'react';
import { Icon } from '../../parts/icon.tsx';
import { lazyPart } from '../../parts/lazy-part.ts';
import { useActions } from '../chat-actions.ts';
import { focusComposer } from '../composer/focus-composer.ts';
import { Answer } from './answer.tsx';
import { QueuedMessage } from './queued-message.tsx';
import type { Row } from './rows.ts';
import { SteeredLine } from './steered-line.tsx';
import { PickUpLine } from './steps/pick-up-line.tsx';
import { UnreadLine } from './unread-line.tsx';
import { UserMessage } from './user-message.tsx';
import { Working } from './working.tsx';

const FailureLine = lazyPart(() => import('../../failures/failure-line.tsx').then((module) => module.FailureLine));
const GateCard = lazyPart(() => import('../gates/gate-card.tsx').then((module) => module.GateCard));
const Steps = lazyPart(() => import('./steps/steps.tsx').then((module) => module.Steps));

export function RowView({ row }: { readonly row: Row }) {
  switch (row.kind) {
    case 'user':
      return <UserMessage entry={row.entry} turnId={row.turnId} versions={row.versions} />;
    case 'answer':
      return (
        <Answer
          entry={row.entry}
          turnId={row.turnId}
          first={row.first}
          by={row.by}
          newest={row.newest}
          versions={row.versions}
          took={row.took}
        />
      );
    case 'steps':
      return (
        <Suspense fallback={<div className="min-h-target pb-3" />}>
          <Steps steps={row.steps} first={row.first} by={row.by} followed={row.followed} />
        </Suspense>
      );
    case 'pick-up':
      return <PickUpLine entry={row.entry} turnId={row.turnId} />;
    case 'gate':
      return <GateRow gate={row.gate} />;
    case 'failure':
      return (
        <Suspense>
          <FailureLine failure={row.failure} asked={row.asked} turnId={row.turnId} />
        </Suspense>
      );
    case 'queued':
      return <QueuedMessage queued={row.queued} atGate={row.atGate} gate={row.gate} />;
    case 'unread':
      return <UnreadLine text={row.text} />;
    case 'stopped':
      return (
        <p className="flex items-center gap-2 pb-7 text-meta text-soft">
          <Icon name="stop" /> <Trans>Stopped by you.</Trans>
        </p>
      );
    case 'steered':
      return <SteeredLine />;
    case 'day':
      return (
        <p className="flex items-center gap-3 pb-4 text-label text-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
          {row.words}
        </p>
      );
    case 'working':
      return <Working turn={row.turn} asked={row.asked} first={row.first} by={row.by} waits={row.waits} />;
  }
}

/** The card goes away with what had the focus, and a key that was meant for it must not answer the next one. */
function GateRow({ gate }: { readonly gate: OpenGate }) {
  const { answerGate } = useActions();
  return (
    <Suspense fallback={<div className="gate min-h-40" />}>
      <GateCard gate={gate} onAnswer={(answer) => answerGate(gate, answer).then(focusComposer)} />
    </Suspense>
  );
}
