import { Trans } from '@lingui/react/macro';
import type { OpenGate } from '@reborn-agent/client/api';
import { Suspense } from 'react';
import { Icon } from '../../parts/icon.tsx';
import { lazyPart } from '../../parts/lazy-part.ts';
import { useActions } from '../chat-actions.ts';
import { GateCard } from '../gates/gate-card.tsx';
import { Answer } from './answer.tsx';
import { PickUpLine } from './pick-up-line.tsx';
import { QueuedMessage } from './queued-message.tsx';
import type { Row } from './rows.ts';
import { SteeredLine } from './steered-line.tsx';
import { Steps } from './steps.tsx';
import { UnreadLine } from './unread-line.tsx';
import { UserMessage } from './user-message.tsx';
import { Working } from './working.tsx';

const FailureLine = lazyPart(() => import('../../failures/failure-line.tsx').then((module) => module.FailureLine));

export function RowView({ row }: { readonly row: Row }) {
  switch (row.kind) {
    case 'user':
      return <UserMessage entry={row.entry} versions={row.versions} />;
    case 'answer':
      return <Answer entry={row.entry} turnId={row.turnId} first={row.first} versions={row.versions} />;
    case 'steps':
      return <Steps steps={row.steps} first={row.first} />;
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
      return <QueuedMessage queued={row.queued} atGate={row.atGate} />;
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
      return <Working turn={row.turn} asked={row.asked} first={row.first} waits={row.waits} />;
  }
}

function GateRow({ gate }: { readonly gate: OpenGate }) {
  const { answerGate } = useActions();
  return <GateCard gate={gate} onAnswer={(answer) => answerGate(gate, answer)} />;
}
