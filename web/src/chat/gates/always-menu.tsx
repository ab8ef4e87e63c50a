import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { GateAnswer, OpenGate } from '@reborn-agent/client/api';
import { valuesOf } from '@reborn-agent/client/call-card';
import { type Rule, rulesOf } from '@reborn-agent/client/gate-card';
import { useId, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Form } from '../../parts/form.tsx';
import { reader } from './call-sentence.tsx';

type Props = {
  readonly gate: OpenGate;
  readonly busy: boolean;
  readonly onAnswer: (answer: GateAnswer) => void;
  readonly onBack: () => void;
};

/** The rules that "always" can make, in words. The narrowest is chosen. */
export function AlwaysMenu({ gate, busy, onAnswer, onBack }: Props) {
  const rules = rulesOf(gate);
  const [chosen, setChosen] = useState(0);
  const group = useId();
  const rule = rules[chosen];
  return (
    <Form
      className="flex flex-col gap-3"
      onKeyDown={(event) => event.key === 'Escape' && onBack()}
      onSubmit={() => {
        if (rule) onAnswer(rule.answer);
      }}
    >
      <fieldset className="popup flex flex-col p-1">
        <legend className="sr-only">
          <Trans>Which calls run from now on without a question?</Trans>
        </legend>
        {rules.map((each, at) => (
          <label
            key={each.kind}
            className={`flex min-h-target cursor-pointer items-start gap-3 rounded px-2 py-2 ${at === chosen ? 'bg-hover' : ''}`}
          >
            <input
              ref={at === 0 ? (input) => input?.focus() : undefined}
              type="radio"
              name={group}
              checked={at === chosen}
              onChange={() => setChosen(at)}
              className="mt-1 size-4 shrink-0 accent-ink"
            />
            <span className="min-w-0">
              <span className="block break-words">{wordsOf(each, gate)}</span>
              <span className="block break-words text-meta text-soft">{detailOf(each, gate)}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {gate.situation !== 'clean' && (
        <p className="break-words text-meta text-soft">
          <Trans>It holds also after reading text by others.</Trans>
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="act" disabled={busy || !rule}>
          <Trans>Approve and remember</Trans>
        </Button>
        <Button look="quiet" onClick={onBack}>
          <Trans>Cancel</Trans>
        </Button>
      </div>
    </Form>
  );
}

function wordsOf({ kind, free }: Rule, gate: OpenGate): string {
  const labels = labelsOf(free, gate);
  switch (kind) {
    case 'exactly':
      return gate.calls.length === 1 ? t`Exactly this` : t`Exactly these`;
    case 'mission':
      return free.length === 0 ? t`In runs of this mission` : t`In runs of this mission, with any text (${labels})`;
    case 'any-text':
      return t`The same with any text (${labels})`;
  }
}

function detailOf({ free }: Rule, gate: OpenGate): string {
  if (free.length === 0) return t`Every value stays the same.`;
  const kept = gate.calls.flatMap((call) => valuesOf(call, reader()) ?? []).filter(({ path }) => !free.includes(path));
  const labels = listOf(kept.map(({ label }) => label));
  return kept.length === 0 ? '' : t`These values stay the same: ${labels}`;
}

/** Paths of arguments in lists are spelled with brackets in rules. */
function labelsOf(free: readonly string[], gate: OpenGate): string {
  const values = gate.calls.flatMap((call) => valuesOf(call, reader()) ?? []);
  return listOf(free.map((path) => values.find((value) => value.path === path)?.label ?? path));
}

const listOf = (words: readonly string[]) => new Intl.ListFormat(i18n.locale).format(new Set(words));
