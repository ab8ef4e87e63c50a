import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import type { GateAnswer, OpenGate } from '@reborn-agent/client/api';
import { whyNotApprovable } from '@reborn-agent/client/approvable';
import { plainText } from '@reborn-agent/client/call-card';
import { askerOf } from '@reborn-agent/client/subagents';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useServices } from '../../app/services.ts';
import { client } from '../../client/client.ts';
import { McpSignIn } from '../../mcp/mcp-sign-in.tsx';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { AskedCalls, CallDetail, ExactToggle, isExactAtFirst } from './asked-calls.tsx';
import { CallSentence } from './call-sentence.tsx';
import { GateFooter } from './gate-footer.tsx';
import { sentenceOf } from './gate-sentence.ts';
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
  const [isTicking, setTicking] = useState(false);
  const [only] = gate.calls;
  const [isExact, setExact] = useState(() => only !== undefined && isExactAtFirst(only));
  const card = useRef<HTMLElement>(null);
  const isOwn = gate.user_id === me.user_id;
  const [isNew] = useState(() => Date.now() - Date.parse(gate.created_at) < NEW_MS);
  const isOneShown = gate.calls.length === 1 && only !== undefined && whyNotApprovable(only) === undefined;
  const question = sentenceOf(gate, isOwn);
  const words = plainText(question);
  const tick = (callId: string) => {
    const next = new Set(unticked);
    if (!next.delete(callId)) next.add(callId);
    setUnticked(next);
  };
  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-label={t`Waits for you: ${words}`}
      className={`gate mb-7 mt-2 flex max-[800px]:-mx-2 flex-col overflow-hidden ${isNew ? 'appears' : ''}`}
    >
      <GateHead gate={gate} />
      <div className="flex flex-col gap-2 p-4 pt-3">
        {question.length > 0 && (
          <h3 className="min-w-0 text-balance break-words text-gate">
            <CallSentence parts={question} />
          </h3>
        )}
        <AskedBy gate={gate} />
        <GateReason gate={gate} />
        {gate.calls.length === 1 && only ? (
          <CallDetail call={only} isExact={isExact} />
        ) : (
          <AskedCalls gate={gate} isTicking={isTicking} unticked={unticked} onTick={tick} />
        )}
        {gate.kind === 'auth' && <SignInAtGate gate={gate} onAnswer={onAnswer} isOwn={isOwn} />}
        {gate.kind === 'pairing' && <PairingForm onAnswer={onAnswer} />}
        {gate.question && <QuestionForm question={gate.question} onAnswer={onAnswer} />}
        <GateFooter
          gate={gate}
          card={card}
          unticked={unticked}
          isTicking={isTicking}
          onTicking={() => setTicking(true)}
          exact={isOneShown && <ExactToggle isOpen={isExact} onToggle={() => setExact(!isExact)} />}
          onAnswer={onAnswer}
        />
      </div>
      {isNew && (
        <p role="alert" className="sr-only">
          <Trans>Waits for you: {words}</Trans>
        </p>
      )}
    </section>
  );
}

/** Which subagent asks. */
function AskedBy({ gate }: { readonly gate: OpenGate }) {
  const asker = askerOf(gate);
  if (asker === undefined) return null;
  return (
    <p className="min-w-0 break-words text-meta text-soft">
      <Trans>
        Asked by the subagent <bdi>{asker}</bdi>
      </Trans>
    </p>
  );
}

function GateHead({ gate }: { readonly gate: OpenGate }) {
  const { calls, kind, created_at: since } = gate;
  const count = calls.length;
  const server = calls[0]?.card?.server;
  const icon = kind === 'auth' ? 'key' : kind === 'input' ? 'chat' : 'shield';
  return (
    <header className="gate-head">
      <Icon name={icon} />
      <span className="font-medium">
        {kind === 'input' ? (
          <Trans>Waits for your answer</Trans>
        ) : (
          <Plural value={count} one="Waits for you" other="# things wait for you" />
        )}
      </span>
      <span className="ms-auto flex min-w-0 gap-2 text-soft">
        {server !== undefined && <bdi className="truncate">{server}</bdi>}
        <RelativeTime time={since} />
      </span>
    </header>
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
