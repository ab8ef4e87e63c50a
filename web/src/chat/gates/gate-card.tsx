import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { OpenGate } from '@reborn-agent/client/api';
import { whyNotApprovable } from '@reborn-agent/client/approvable';
import { escapeInvisible } from '@reborn-agent/client/exact-json';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../client/client.ts';
import { McpSignIn } from '../../mcp/mcp-sign-in.tsx';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useActions } from '../chat-actions.ts';
import { ReadableJson } from '../transcript/readable-json.tsx';
import { QuestionForm } from './question-form.tsx';
import { SecretForm } from './secret-form.tsx';

/** What the thread waits for, answered in place. */
export function GateCard({ gate }: { readonly gate: OpenGate }) {
  const refusal = whyNotApprovable(gate.call);
  return (
    <section
      aria-label={t`Waiting for you: ${gate.call.name}`}
      className="mb-5 flex flex-col gap-3 rounded border border-line border-s-4 border-s-waiting bg-waiting-wash p-4"
    >
      <h3 className="flex items-start gap-2 font-semibold">
        <Icon name={gate.kind === 'auth' ? 'key' : 'warning'} className="mt-1 text-waiting" />
        <span className="min-w-0 break-words">{sentenceOf(gate)}</span>
      </h3>
      {refusal === undefined ? (
        <ReadableJson text={gate.call.arguments} whole />
      ) : (
        <p className="break-words">{refusal}</p>
      )}
      {gate.kind === 'approval' && refusal === undefined && <AlwaysScope always={gate.always ?? []} />}
      {gate.kind === 'auth' ? (
        <SignInAtGate gate={gate} />
      ) : gate.question ? (
        <QuestionForm gate={gate} question={gate.question}>
          <Decision gate={gate} />
        </QuestionForm>
      ) : (
        <Decision gate={gate} isApprovable={refusal === undefined} />
      )}
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

function sentenceOf({ kind, call }: OpenGate): string {
  switch (kind) {
    case 'approval':
      return t`Allow ${call.name} to run?`;
    case 'auth':
      return t`${call.name} needs a secret of yours before it can run.`;
    case 'external-tool':
      return t`${call.name} is run by the program that asked. Its answer has not come yet.`;
    case 'input':
      return t`${call.name} asks you before it can finish.`;
    case 'pairing':
      return t`${call.name} asks for a webhook user who is not paired with a user yet.`;
  }
}

/** The reason is requested once the person denies. */
function Decision({ gate, isApprovable = true }: { readonly gate: OpenGate; readonly isApprovable?: boolean }) {
  const { answerGate } = useActions();
  const [denying, setDenying] = useState(false);
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const answer = (choice: 'approve' | 'always' | 'deny') => {
    setBusy(true);
    void answerGate(gate, { answer: choice, ...(choice === 'deny' && reason && { reason }) }).then(() =>
      setBusy(false),
    );
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

function SignInAtGate({ gate }: { readonly gate: OpenGate }) {
  const { answerGate } = useActions();
  const { data } = useQuery({ queryKey: ['tools'], queryFn: () => client.call('GET /api/tools') });
  const tool = data?.tools.find(({ name }) => name === gate.call.name);
  const goOn = () => void answerGate(gate, { answer: 'approve' });
  return (
    <>
      {tool?.needs_sign_in && tool.mcp_server && <McpSignIn server={tool.mcp_server} />}
      {tool?.needs_sign_in && !tool.mcp_server && <SecretForm tool={tool} onKept={goOn} />}
      {tool && !tool.needs_sign_in && (
        <Button look="act" className="self-start" onClick={goOn}>
          {tool.mcp_server ? t`Continue, signed in` : t`Continue with the stored secret`}
        </Button>
      )}
      <Decision gate={gate} />
    </>
  );
}
