import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { OpenGate } from '@reborn-agent/client/api';
import { whyNotApprovable } from '@reborn-agent/client/approvable';
import { askSentence, plainText, valuesOf } from '@reborn-agent/client/call-card';
import type { AskedCall } from '@reborn-agent/client/gate-card';
import { useId, useState } from 'react';
import { Icon } from '../../parts/icon.tsx';
import { ReadableJson } from '../transcript/readable-json.tsx';
import { AddressNote } from './address-note.tsx';
import { CallSentence, reader } from './call-sentence.tsx';
import { CallValues } from './call-values.tsx';

type Props = {
  readonly gate: OpenGate;
  /** One by one: each call has a box to tick, and those without a tick are denied. */
  readonly isTicking: boolean;
  readonly unticked: ReadonlySet<string>;
  readonly onTick: (callId: string) => void;
};

/** Several calls of one answer, a line for each, which opens what it would do. */
export function AskedCalls({ gate, isTicking, unticked, onTick }: Props) {
  return (
    <ul className="flex flex-col">
      {gate.calls.map((call) => (
        <AskedLine
          key={call.call_id}
          call={call}
          tick={isTicking ? { isTicked: !unticked.has(call.call_id), onTick: () => onTick(call.call_id) } : undefined}
        />
      ))}
    </ul>
  );
}

type Tick = { readonly isTicked: boolean; readonly onTick: () => void };

function AskedLine({ call, tick }: { readonly call: AskedCall; readonly tick: Tick | undefined }) {
  const isRefused = whyNotApprovable(call) !== undefined;
  const [isOpen, setOpen] = useState(isRefused || call.address?.kind === 'composed');
  const [isExact, setExact] = useState(() => isExactAtFirst(call));
  const parts = askSentence(call, reader());
  const body = useId();
  return (
    <li className="flex flex-col gap-1 py-0.5">
      <div className="flex items-start gap-2">
        {tick && (
          <input
            type="checkbox"
            aria-label={plainText(parts)}
            checked={!isRefused && tick.isTicked}
            disabled={isRefused}
            onChange={tick.onTick}
            className="mt-2 size-4 shrink-0"
          />
        )}
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={body}
          className="flex min-h-target min-w-0 flex-1 items-center gap-2 rounded text-start hover:bg-hover"
          onClick={() => setOpen(!isOpen)}
        >
          <span className="min-w-0 flex-1 break-words font-medium">
            <CallSentence parts={parts} />
          </span>
          <Icon name={isOpen ? 'down' : 'right'} className="text-soft" />
        </button>
      </div>
      <div id={body} hidden={!isOpen} className="pb-2 ps-2">
        {isOpen && (
          <>
            <CallDetail call={call} isExact={isExact} />
            {!isRefused && <ExactToggle isOpen={isExact} onToggle={() => setExact(!isExact)} />}
          </>
        )}
      </div>
    </li>
  );
}

/** The values of a call, and with `isExact` exactly what runs. */
export function CallDetail({ call, isExact }: { readonly call: AskedCall; readonly isExact: boolean }) {
  const refusal = whyNotApprovable(call);
  if (refusal !== undefined) return <p className="break-words">{refusal}</p>;
  return (
    <div className="flex flex-col gap-2">
      <Said call={call} />
      <CallValues call={call} />
      <AddressNote call={call} />
      {isExact && <ReadableJson text={call.arguments} whole />}
    </div>
  );
}

/** What the author of a tool says about it: their words, so they are quoted. */
function Said({ call: { card } }: { readonly call: AskedCall }) {
  if (card?.says === undefined || card.templates?.length) return null;
  const says = <q className="break-words">{card.says}</q>;
  const server = <bdi>{card.server ?? ''}</bdi>;
  return (
    <p className="break-words text-meta text-soft">
      {card.server === undefined ? (
        <Trans>Its author says: {says}</Trans>
      ) : (
        <Trans>
          {server} says: {says}
        </Trans>
      )}
    </p>
  );
}

/** Exact arguments are open from the start if a list of values could mislead, such as with a repeated key. */
export const isExactAtFirst = (call: AskedCall): boolean => valuesOf(call) === undefined;

export function ExactToggle({ isOpen, onToggle }: { readonly isOpen: boolean; readonly onToggle: () => void }) {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      className="flex min-h-target w-fit items-center gap-1 rounded text-meta text-soft hover:text-ink"
      onClick={onToggle}
    >
      {t`Exact arguments`} <Icon name={isOpen ? 'down' : 'right'} />
    </button>
  );
}
