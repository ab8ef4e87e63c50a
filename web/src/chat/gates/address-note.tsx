import { Trans } from '@lingui/react/macro';
import { type AskedCall, addressOf } from '@reborn-agent/client/gate-card';

/** What is asked about the address that a call opens. The unshown part is marked. */
export function AddressNote({ call }: { readonly call: AskedCall }) {
  const facts = addressOf(call);
  if (!facts) return null;
  if (facts.kind === 'network') return <NetworkNote hosts={facts.hosts} />;
  if (facts.kind === 'research')
    return (
      <p className="break-words text-meta text-soft">
        <Trans>
          An approval allows up to {facts.searches} searches, and opens up to {facts.pages} pages that they find,
          without further questions until your next message.
        </Trans>
      </p>
    );
  const site = <strong className="exact break-all">{facts.site}</strong>;
  if (facts.kind === 'link')
    return (
      <p className="break-words text-meta text-soft">
        <Trans>This link was shown. An approval opens all shown links of {site} until your next message.</Trans>
      </p>
    );
  if (facts.kind === 'repeated')
    return (
      <p className="break-words text-meta text-soft">
        {facts.reason === 'again' ? (
          <Trans>This address of {site} was opened twice since your last message.</Trans>
        ) : (
          <Trans>Many addresses were opened since your last message. This one is at {site}.</Trans>
        )}
      </p>
    );
  return (
    <div className="flex flex-col gap-1">
      <p dir="ltr" className="break-all rounded-lg bg-sunken p-3 font-mono text-meta">
        {facts.shown}
        {facts.unshown !== '' && (
          <mark className="rounded-sm border border-waiting bg-waiting-wash px-0.5 font-semibold text-ink">
            {facts.unshown}
          </mark>
        )}
      </p>
      <p className="break-words text-meta">
        {facts.unshown === '' ? (
          <Trans>The agent has chosen this address of {site}: nobody has shown it.</Trans>
        ) : (
          <Trans>The marked part was written by the agent and goes to {site}.</Trans>
        )}
      </p>
    </div>
  );
}

function NetworkNote({ hosts }: { readonly hosts: readonly string[] }) {
  const names = <strong className="exact break-all">{hosts.join(', ')}</strong>;
  return (
    <p className="break-words text-meta">
      <Trans>It can send what this conversation has read, and its files, to {names}.</Trans>
    </p>
  );
}
