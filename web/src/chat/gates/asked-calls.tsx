import { Trans } from '@lingui/react/macro';
import type { OpenGate } from '@reborn-agent/client/api';
import { whyNotApprovable } from '@reborn-agent/client/approvable';
import { escapeInvisible } from '@reborn-agent/client/exact-json';
import type { AskedCall } from '@reborn-agent/client/gate-card';
import { ReadableJson } from '../transcript/readable-json.tsx';
import { AddressNote } from './address-note.tsx';

type Props = {
  readonly gate: OpenGate;
  readonly unticked: ReadonlySet<string>;
  readonly onTick: (callId: string) => void;
};

/** The calls of a card, each exactly as it runs. Those without a tick are denied. */
export function AskedCalls({ gate, unticked, onTick }: Props) {
  const [only] = gate.calls;
  if (only && gate.calls.length === 1) return <CallDetail call={only} />;
  return (
    <ul className="flex flex-col gap-4">
      {gate.calls.map((call) => {
        const isRefused = whyNotApprovable(call) !== undefined;
        return (
          <li key={call.call_id} className="flex flex-col gap-2">
            <label className="flex min-h-target w-fit items-center gap-2 font-medium">
              <input
                type="checkbox"
                checked={!isRefused && !unticked.has(call.call_id)}
                disabled={isRefused}
                onChange={() => onTick(call.call_id)}
                className="size-4 shrink-0"
              />
              <span className="min-w-0 break-all">{call.name}</span>
            </label>
            <CallDetail call={call} />
          </li>
        );
      })}
    </ul>
  );
}

function CallDetail({ call }: { readonly call: AskedCall }) {
  const refusal = whyNotApprovable(call);
  if (refusal !== undefined) return <p className="break-words">{refusal}</p>;
  return (
    <>
      <ReadableJson text={call.arguments} whole />
      <AddressNote call={call} />
      <AlwaysScope always={call.always ?? []} />
    </>
  );
}

/** What "always" would cover, shown before anyone chooses it. */
function AlwaysScope({ always }: { readonly always: readonly string[] }) {
  if (always.length === 0) return null;
  return (
    <p className="break-words text-meta text-soft">
      <Trans>
        Always would cover every call with: <Exactly text={always.join(', ')} />
      </Trans>
    </p>
  );
}

/** A component, because Lingui decodes the escapes in the values of a text. */
const Exactly = ({ text }: { readonly text: string }) => <span className="exact">{escapeInvisible(text)}</span>;
