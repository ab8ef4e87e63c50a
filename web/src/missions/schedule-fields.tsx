import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useId } from 'react';
import { client } from '../client/client.ts';
import { wordsOf } from '../parts/error-words.ts';
import { ChoiceField, TextField } from '../parts/field.tsx';
import { formatIn, HERE } from './mission-words.ts';
import { dayChoices, type ScheduleDraft, toSchedule } from './schedule-draft.ts';
import { wordsOfSchedule } from './schedule-words.ts';

const kinds = (): readonly { readonly value: ScheduleDraft['kind']; readonly words: string }[] => [
  { value: 'days', words: t`At a time of day` },
  { value: 'interval', words: t`Every few minutes or hours` },
  { value: 'once', words: t`Once` },
  { value: 'cron', words: t`Cron expression` },
  { value: 'event', words: t`When a turn has ended` },
];

/** When a mission is due, and its next times. */
export function ScheduleFields({
  draft,
  onChange,
}: {
  readonly draft: ScheduleDraft;
  readonly onChange: (draft: ScheduleDraft) => void;
}) {
  const set = (change: Partial<ScheduleDraft>) => onChange({ ...draft, ...change });
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 font-semibold">
        <Trans>Schedule</Trans>
      </legend>
      <div className="grid gap-3 sm:grid-cols-2">
        <ChoiceField
          label={t({ message: 'Runs', context: 'when a mission runs' })}
          choices={kinds()}
          value={draft.kind}
          onChoose={(kind) => set({ kind })}
        />
        {draft.kind === 'days' && (
          <>
            <TextField
              label={t`Time`}
              type="time"
              required
              value={draft.time}
              onChange={(event) => set({ time: event.target.value })}
            />
            <ChoiceField label={t`Days`} choices={dayChoices()} value={draft.days} onChoose={(days) => set({ days })} />
          </>
        )}
        {draft.kind === 'interval' && (
          <TextField
            label={t`Minutes between two runs`}
            type="number"
            min={1}
            required
            value={draft.minutes}
            onChange={(event) => set({ minutes: event.target.value })}
          />
        )}
        {draft.kind === 'once' && (
          <TextField
            label={t`Date and time`}
            type="datetime-local"
            required
            value={draft.at}
            onChange={(event) => set({ at: event.target.value })}
          />
        )}
        {draft.kind === 'cron' && (
          <TextField
            label={t`Cron expression`}
            required
            className="field w-full font-mono text-meta"
            value={draft.cron}
            onChange={(event) => set({ cron: event.target.value })}
            hint={t`Minute, hour, day of month, month, day of week.`}
          />
        )}
        {draft.kind === 'event' && (
          <TextField
            label={t`Turns of`}
            required
            value={draft.turnOf}
            onChange={(event) => set({ turnOf: event.target.value })}
            hint={t`me, or for the operator a webhook user such as webhook:github.`}
          />
        )}
        {draft.kind !== 'interval' && draft.kind !== 'event' && (
          <TimeZoneField value={draft.timeZone} onChange={(timeZone) => set({ timeZone })} />
        )}
      </div>
      <Preview draft={draft} />
    </fieldset>
  );
}

function TimeZoneField({ value, onChange }: { readonly value: string; readonly onChange: (zone: string) => void }) {
  const list = useId();
  return (
    <>
      <TextField
        label={t`Time zone`}
        required
        list={list}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={list}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}

/** The schedule in words, and its next times as the person's clock will show them. */
function Preview({ draft }: { readonly draft: ScheduleDraft }) {
  const schedule = useDeferredValue(JSON.stringify(toSchedule(draft)));
  const { data, error } = useQuery({
    queryKey: ['schedule', schedule],
    queryFn: async () => {
      const asked = JSON.parse(schedule) as ReturnType<typeof toSchedule>;
      const shown = await client.call('POST /api/missions/preview', { body: { schedule: asked } });
      return { words: wordsOfSchedule(asked, shown.schedule_words), next_times: shown.next_times };
    },
    placeholderData: (shown) => shown,
    enabled: draft.kind !== 'once' || draft.at !== '',
    retry: false,
  });
  if (error) return <p className="text-failed">{wordsOf(error)}</p>;
  if (!data) return null;
  return (
    <div role="status" className="rounded-lg border border-line bg-sunken p-3">
      <p className="font-medium">{data.words}</p>
      {data.next_times.length > 0 && (
        <p className="mt-1 text-meta text-soft">
          <Trans>Next runs, in {HERE}:</Trans>
        </p>
      )}
      <ol className="text-meta tabular-nums text-soft">
        {data.next_times.map((time) => (
          <li key={time}>{formatIn(time, HERE)}</li>
        ))}
      </ol>
    </div>
  );
}
