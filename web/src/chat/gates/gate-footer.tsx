import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { GateAnswer, OpenGate } from '@reborn-agent/client/api';
import { answerOf, approvableCalls, rulesOf } from '@reborn-agent/client/gate-card';
import { type ReactNode, type RefObject, useState } from 'react';
import { useLetterKeys } from '../../app/letter-keys.ts';
import { Button } from '../../parts/button.tsx';
import { Form } from '../../parts/form.tsx';
import { AlwaysMenu } from './always-menu.tsx';
import { type GateKey, useGateKeys } from './use-gate-keys.ts';

type Props = {
  readonly gate: OpenGate;
  readonly card: RefObject<HTMLElement | null>;
  readonly unticked: ReadonlySet<string>;
  readonly isTicking: boolean;
  readonly onTicking: () => void;
  /** The button that shows the exact arguments. */
  readonly exact: ReactNode;
  /** Resolves in any case: an error is shown elsewhere. */
  readonly onAnswer: (answer: GateAnswer) => Promise<void>;
};

type Opened = 'buttons' | 'always' | 'deny';

/** The answers to a card. Denying asks for a reason, and "always" for a rule. */
export function GateFooter({ gate, card, unticked, isTicking, onTicking, exact, onAnswer }: Props) {
  const [opened, setOpened] = useState<Opened>('buttons');
  const [busy, setBusy] = useState(false);
  const isApproval = gate.kind === 'approval';
  const wanted = approvableCalls(gate).filter(({ call_id: id }) => !unticked.has(id));
  const acceptsAlways = isApproval && wanted.length === gate.calls.length && !isTicking && rulesOf(gate).length > 0;
  const send = (answer: GateAnswer) => {
    setBusy(true);
    void onAnswer(answer).then(() => setBusy(false));
  };
  const approve = () => send(answerOf(gate, new Set(wanted.map(({ call_id: id }) => id))));
  const back = () => {
    setOpened('buttons');
    card.current?.focus();
  };
  useGateKeys(card, (key: GateKey) => {
    if (busy || opened !== 'buttons') return;
    if (key === 'y' && isApproval && wanted.length > 0) approve();
    if (key === 'a' && acceptsAlways) setOpened('always');
    if (key === 'n') setOpened('deny');
  });
  if (opened === 'always') return <AlwaysMenu gate={gate} busy={busy} onAnswer={send} onBack={back} />;
  if (opened === 'deny') return <DenyForm busy={busy} onAnswer={send} onBack={back} />;
  return (
    <div className="gate-buttons">
      {isApproval && approvableCalls(gate).length > 0 && (
        <Button look="act" disabled={busy || wanted.length === 0} onClick={approve}>
          {wordsFor(gate, wanted.length)}
          <Key letter="Y" />
        </Button>
      )}
      {acceptsAlways && (
        <Button disabled={busy} onClick={() => setOpened('always')}>
          <Trans>Always…</Trans>
          <Key letter="A" />
        </Button>
      )}
      {isApproval && gate.calls.length > 1 && !isTicking && (
        <Button disabled={busy} onClick={onTicking}>
          <Trans>One by one</Trans>
        </Button>
      )}
      <Button disabled={busy} onClick={() => setOpened('deny')}>
        {gate.calls.length === 1 ? <Trans>Deny</Trans> : <Trans>Deny all</Trans>}
        <Key letter="N" />
      </Button>
      {exact && <div className="gate-exact">{exact}</div>}
    </div>
  );
}

/** Shown where there is a keyboard; it is not part of the button's name. */
const Key = ({ letter }: { readonly letter: string }) =>
  useLetterKeys() && (
    <kbd aria-hidden="true" className="gate-key">
      {letter}
    </kbd>
  );

function DenyForm({
  busy,
  onAnswer,
  onBack,
}: {
  readonly busy: boolean;
  readonly onAnswer: (answer: GateAnswer) => void;
  readonly onBack: () => void;
}) {
  const [reason, setReason] = useState('');
  return (
    <Form className="flex flex-wrap gap-2" onSubmit={() => onAnswer({ answer: 'deny', ...(reason && { reason }) })}>
      <input
        ref={(input) => input?.focus()}
        aria-label={t`Why not? The model reads the reason.`}
        placeholder={t`Why not? The model reads the reason.`}
        maxLength={2000}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onBack()}
        className="field flex-1 basis-60"
      />
      <Button type="submit" look="danger" disabled={busy}>
        <Trans>Deny</Trans>
      </Button>
      <Button look="quiet" onClick={onBack}>
        <Trans>Back</Trans>
      </Button>
    </Form>
  );
}

function wordsFor({ calls }: OpenGate, ticked: number): string {
  const [only] = calls;
  const site = only?.address?.kind === 'link' ? only.address.site : undefined;
  if (calls.length === 1) return site === undefined ? t`Approve once` : t`Open links of ${site} in this turn`;
  if (ticked < calls.length && ticked > 0) return t`Approve ${ticked}, deny the rest`;
  return plural(calls.length, { one: 'Approve # call', 2: 'Approve both', other: 'Approve all #' });
}
