import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { GateAnswer, OpenGate } from '@reborn-agent/client/api';
import { answerOf, approvableCalls } from '@reborn-agent/client/gate-card';
import { Button } from '../../parts/button.tsx';

type Props = {
  readonly gate: OpenGate;
  readonly unticked: ReadonlySet<string>;
  readonly busy: boolean;
  readonly onAnswer: (answer: GateAnswer) => void;
};

/** Approves what is ticked. "Always" is for all calls of the card, so it is offered only while all are ticked. */
export function ApproveButtons({ gate, unticked, busy, onAnswer }: Props) {
  const { calls, always, mission_id: missionId } = gate;
  const approvable = approvableCalls(gate);
  if (approvable.length === 0) return null;
  const ticked = approvable.map(({ call_id: id }) => id).filter((id) => !unticked.has(id));
  const isAll = ticked.length === calls.length;
  return (
    <>
      <Button
        look="act"
        disabled={busy || ticked.length === 0}
        onClick={() => onAnswer(answerOf(gate, new Set(ticked)))}
      >
        {wordsFor(gate, ticked.length)}
      </Button>
      {always && isAll && missionId !== null && (
        <Button disabled={busy} onClick={() => onAnswer({ answer: 'always', only: 'mission' })}>
          <Trans>Always in this mission</Trans>
        </Button>
      )}
      {always && isAll && (
        <Button disabled={busy} onClick={() => onAnswer({ answer: 'always' })}>
          {alwaysWords(gate)}
        </Button>
      )}
    </>
  );
}

function wordsFor({ calls }: OpenGate, ticked: number): string {
  const [only] = calls;
  const site = only?.address?.kind === 'link' ? only.address.site : undefined;
  if (calls.length === 1) return site === undefined ? t`Approve once` : t`Open links of ${site} in this turn`;
  if (ticked < calls.length && ticked > 0) return t`Approve ${ticked}, deny the rest`;
  return plural(calls.length, { one: 'Approve # call', 2: 'Approve both', other: 'Approve all #' });
}

/** It holds in the situation of the card, and the card says so. */
function alwaysWords({ calls, situation }: OpenGate): string {
  if (situation !== 'clean') return t`Always, also after reading text by others`;
  return calls.length === 1 ? t`Always for this` : t`Always for these`;
}
