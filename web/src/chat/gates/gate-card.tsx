import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { GateAnswer, OpenGate } from '@reborn-agent/client/api';
import { whyNotApprovable } from '@reborn-agent/client/approvable';
import { escapeInvisible } from '@reborn-agent/client/exact-json';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useServices } from '../../app/services.ts';
import { client } from '../../client/client.ts';
import { McpSignIn } from '../../mcp/mcp-sign-in.tsx';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ReadableJson } from '../transcript/readable-json.tsx';
import { PairingForm } from './pairing-form.tsx';
import { QuestionForm } from './question-form.tsx';
import { SecretForm } from './secret-form.tsx';

type Props = {
  readonly gate: OpenGate;
  /** Resolves in any case: an error is shown elsewhere. */
  readonly onAnswer: (answer: GateAnswer) => Promise<void>;
};

/** What the thread waits for, answered in place. */
export function GateCard({ gate, onAnswer }: Props) {
  const { me } = useServices();
  const isOwn = gate.user_id === me.user_id;
  const refusal = whyNotApprovable(gate.call);
  return (
    <section
      aria-label={t`Waiting for you: ${gate.call.name}`}
      className="mb-5 flex flex-col gap-3 rounded border border-line border-s-4 border-s-waiting bg-waiting-wash p-4"
    >
      <h3 className="flex items-start gap-2 font-semibold">
        <Icon name={gate.kind === 'auth' ? 'key' : 'warning'} className="mt-1 text-waiting" />
        <span className="min-w-0 break-words">{sentenceOf(gate, isOwn)}</span>
      </h3>
      {refusal === undefined ? (
        <ReadableJson text={gate.call.arguments} whole />
      ) : (
        <p className="break-words">{refusal}</p>
      )}
      {gate.kind === 'approval' && refusal === undefined && <AlwaysScope always={gate.always ?? []} />}
      {gate.kind === 'auth' && <SignInAtGate gate={gate} onAnswer={onAnswer} isOwn={isOwn} />}
      {gate.kind === 'pairing' && <PairingForm onAnswer={onAnswer} />}
      {gate.question && <QuestionForm question={gate.question} onAnswer={onAnswer} />}
      <Decision gate={gate} onAnswer={onAnswer} isApprovable={refusal === undefined} />
    </section>
  );
}

/** What "always" would cover, shown before anyone chooses it. */
function AlwaysScope({ always }: { readonly always: readonly string[] }) {
  if (always.length === 0) return null;
  return (
    <p className="break-words text-s text-soft">
      <Trans>
        Always would cover every call with: <Exactly text={always.join(', ')} />
      </Trans>
    </p>
  );
}

/** A component, because Lingui decodes the escapes in the values of a text. */
const Exactly = ({ text }: { readonly text: string }) => escapeInvisible(text);

function sentenceOf({ kind, call }: OpenGate, isOwn: boolean): string {
  switch (kind) {
    case 'approval':
      return t`Allow ${call.name} to run?`;
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
function Decision({ gate, onAnswer, isApprovable }: Props & { readonly isApprovable: boolean }) {
  const [denying, setDenying] = useState(false);
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const answer = (choice: 'approve' | 'always' | 'deny') => {
    setBusy(true);
    void onAnswer({ answer: choice, ...(choice === 'deny' && reason && { reason }) }).then(() => setBusy(false));
  };
  if (denying)
    return (
      <form
        className="flex flex-wrap gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          answer('deny');
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
          className="min-h-8 min-w-0 flex-1 basis-60 rounded border border-edge bg-raised px-3"
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
      {gate.kind === 'approval' && isApprovable && (
        <>
          <Button look="act" disabled={busy} onClick={() => answer('approve')}>
            <Trans>Approve once</Trans>
          </Button>
          {gate.always && (
            <Button disabled={busy} onClick={() => answer('always')}>
              <Trans>Always for this</Trans>
            </Button>
          )}
        </>
      )}
      <Button disabled={busy} onClick={() => setDenying(true)}>
        <Trans>Deny</Trans>
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
