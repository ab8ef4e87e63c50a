import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type LabelledValue, type ShownCall, type Value, valuesOf } from '@reborn-agent/client/call-card';
import { useState } from 'react';
import { reader } from './call-sentence.tsx';

/** The arguments of a call with their labels. Nothing is left out. */
export function CallValues({ call }: { readonly call: ShownCall }) {
  const values = valuesOf(call, reader());
  if (!values || values.length === 0) return null;
  return (
    <dl className="gate-values">
      {values.map((value) => (
        <LabelledLines key={value.path} value={value} />
      ))}
    </dl>
  );
}

function LabelledLines({ value: { label, isKey, lines, name } }: { readonly value: LabelledValue }) {
  return (
    <>
      <dt className="min-w-0 break-words text-soft">
        <bdi className={isKey ? 'exact' : ''}>{label}</bdi>
      </dt>
      <dd className="min-w-0">
        {typeof name === 'string' && <bdi className="block break-words">{name}</bdi>}
        {lines.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a value never change places
          <Line key={at} value={line} />
        ))}
        {name === null && (
          <p className="break-words text-failed">
            <Trans>There is nothing with this id.</Trans>
          </p>
        )}
      </dd>
    </>
  );
}

/** A text is folded to about two lines. */
const MOST_LETTERS = 160;
const MOST_LINES = 2;

function Line({ value }: { readonly value: Value }) {
  const [isWhole, setWhole] = useState(false);
  const words = wordsOf(value);
  const isMono = value.kind === 'exact' || value.kind === 'code';
  const lines = words.split('\n');
  const isLong = lines.length > MOST_LINES || words.length > MOST_LETTERS;
  const shown = isLong && !isWhole ? `${beginningOf(lines)}…` : words;
  const look = `${isMono ? 'exact break-all' : 'break-words'} ${value.kind === 'code' ? 'block rounded bg-sunken px-2 py-1' : ''}`;
  return (
    <div>
      <bdi className={`whitespace-pre-wrap ${look}`}>{shown}</bdi>
      {isLong && (
        <button
          type="button"
          aria-expanded={isWhole}
          className="ms-1 text-soft underline underline-offset-2 hover:text-ink"
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? t`less` : wholeWords(lines.length)}
        </button>
      )}
    </div>
  );
}

const wholeWords = (lines: number): string =>
  plural(lines, { one: 'whole text, # line', other: 'whole text, # lines' });

const beginningOf = (lines: readonly string[]) =>
  lines
    .slice(0, MOST_LINES)
    .join('\n')
    .slice(0, MOST_LETTERS)
    .replace(/[\uD800-\uDBFF]$/, '')
    .replace(/[.…\s]+$/, '');

function wordsOf({ kind, text }: Value): string {
  if (kind === 'yes') return t`Yes`;
  if (kind === 'no') return t`No`;
  return kind === 'none' ? t`none` : text;
}
