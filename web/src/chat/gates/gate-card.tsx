import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { GateAnswer, OpenGate } from '@reborn-agent/client/api';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useServices } from '../../app/services.ts';
import { client } from '../../client/client.ts';
import { McpSignIn } from '../../mcp/mcp-sign-in.tsx';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ApproveButtons } from './approve-buttons.tsx';
import { AskedCalls } from './asked-calls.tsx';
import { PairingForm } from './pairing-form.tsx';
import { QuestionForm } from './question-form.tsx';
import { GateReason } from './read-sources.tsx';
import { SecretForm } from './secret-form.tsx';

type Props = {
  readonly gate: OpenGate;
  /** Resolves in any case: an error is shown elsewhere. */
  readonly onAnswer: (answer: GateAnswer) => Promise<void>;
};

/** A card that is older stays still, also when it is scrolled back into view. */
const NEW_MS = 2000;

/** What the thread waits for, answered in place. */
export function GateCard({ gate, onAnswer }: Props) {
  const { me } = useServices();
  const [unticked, setUnticked] = useState<ReadonlySet<string>>(new Set());
  const isOwn = gate.user_id === me.user_id;
  const [isNew] = useState(() => Date.now() - Date.parse(gate.created_at) < NEW_MS);
  const names = gate.calls.map(({ name }) => name).join(', ');
  const tick = (callId: string) => {
    const next = new Set(unticked);
    if (!next.delete(callId)) next.add(callId);
    setUnticked(next);
  };
  return (
    <section
      aria-label={t`Waiting for you: ${names}`}
      className={`gate mb-7 mt-2 flex flex-col gap-3 p-4 ${isNew ? 'appears' : ''}`}
    >
      <h3 className="flex items-start gap-2 text-gate">
        <Icon name={gate.kind === 'auth' ? 'key' : 'warning'} className="mt-1 text-waiting" />
        <span className="min-w-0 break-words">{sentenceOf(gate, isOwn)}</span>
      </h3>
      <GateReason gate={gate} />
      <AskedCalls gate={gate} unticked={unticked} onTick={tick} />
      {gate.kind === 'auth' && <SignInAtGate gate={gate} onAnswer={onAnswer} isOwn={isOwn} />}
      {gate.kind === 'pairing' && <PairingForm onAnswer={onAnswer} />}
      {gate.question && <QuestionForm question={gate.question} onAnswer={onAnswer} />}
      <Decision gate={gate} onAnswer={onAnswer} unticked={unticked} />
    </section>
  );
}

function sentenceOf({ kind, call, calls }: OpenGate, isOwn: boolean): string {
  switch (kind) {
    case 'approval':
      return calls.length === 1
        ? t`Allow ${call.name} to run?`
        : plural(calls.length, { one: '# call waits for you', other: '# calls wait for you' });
    case 'auth':
      return isOwn
        ? t`${call.name} needs a secret of yours before it can run.`
        : t`${call.name} needs a secret of its user, who has to sign in first.`;
    case 'external-tool':
      return t`${call.name} is run by the program that asked. Its answer has not come yet.`;
    case 'input':
      return t`${call.name} asks you before it can finish.`;
    case 'pairing':
      return t`${call.name} asks for a webhook user who is not paired with a user yet.`;
  }
}

/** The reason is requested once the person denies. */
function Decision({ gate, onAnswer, unticked }: Props & { readonly unticked: ReadonlySet<string> }) {
  const [denying, setDenying] = useState(false);
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const send = (answer: GateAnswer) => {
    setBusy(true);
    void onAnswer(answer).then(() => setBusy(false));
  };
  if (denying)
    return (
      <form
        className="flex flex-wrap gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          send({ answer: 'deny', ...(reason && { reason }) });
        }}
      >
        <input
          ref={(input) => input?.focus()}
          aria-label={t`Why not? The model reads the reason.`}
          placeholder={t`Why not? The model reads the reason.`}
          maxLength={2000}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && setDenying(false)}
          className="field flex-1 basis-60"
        />
        <Button type="submit" look="danger" disabled={busy}>
          <Trans>Deny</Trans>
        </Button>
        <Button look="quiet" onClick={() => setDenying(false)}>
          <Trans>Back</Trans>
        </Button>
      </form>
    );
  return (
    <div className="flex flex-wrap gap-2">
      {gate.kind === 'approval' && <ApproveButtons gate={gate} unticked={unticked} busy={busy} onAnswer={send} />}
      <Button disabled={busy} onClick={() => setDenying(true)}>
        {gate.calls.length === 1 ? <Trans>Deny</Trans> : <Trans>Deny all</Trans>}
      </Button>
    </div>
  );
}

/** Only the person themselves can sign in; anyone else who sees the gate can continue once that has happened. */
function SignInAtGate({ gate, onAnswer, isOwn }: Props & { readonly isOwn: boolean }) {
  const { data } = useQuery({ queryKey: ['tools'], queryFn: () => client.call('GET /api/tools'), enabled: isOwn });
  const tool = data?.tools.find(({ name }) => name === gate.call.name);
  const goOn = () => void onAnswer({ answer: 'approve' });
  return (
    <>
      {tool?.needs_sign_in && tool.mcp_server && <McpSignIn server={tool.mcp_server} />}
      {tool?.needs_sign_in && !tool.mcp_server && <SecretForm tool={tool} onKept={goOn} />}
      {(!isOwn || (tool && !tool.needs_sign_in)) && (
        <Button look="act" className="self-start" onClick={goOn}>
          {tool && !tool.mcp_server ? t`Continue with the stored secret` : t`Continue, signed in`}
        </Button>
      )}
    </>
  );
}
