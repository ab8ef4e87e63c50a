import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { QuietHours } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { formatClock } from '../format/time.ts';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';

/** The hours when events wait. */
export function QuietHoursForm({ quiet }: { readonly quiet: QuietHours | null }) {
  const queries = useQueryClient();
  const [draft, setDraft] = useState<QuietHours>(() => quiet ?? NIGHT);
  const save = useMutation({
    mutationFn: (wanted: QuietHours | null) =>
      client.call('PUT /api/notifications/preferences', { body: { quiet_hours: wanted } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['notifications'] }),
  });
  const set = (change: Partial<QuietHours>) => setDraft({ ...draft, ...change });
  return (
    <Form className="flex flex-col gap-3" onSubmit={() => save.mutate(draft)}>
      <p className="text-soft">
        {quiet
          ? t`Events wait from ${formatClock(quiet.from)} until ${formatClock(quiet.until)} (${quiet.time_zone}).`
          : t`Off: events are sent at any time.`}
      </p>
      <div className="grid gap-3 sm:grid-cols-3">
        <TextField
          label={t`From`}
          type="time"
          required
          value={draft.from}
          onChange={(event) => set({ from: event.target.value })}
        />
        <TextField
          label={t`Until`}
          type="time"
          required
          value={draft.until}
          onChange={(event) => set({ until: event.target.value })}
        />
        <TextField
          label={t`Time zone`}
          required
          value={draft.time_zone}
          onChange={(event) => set({ time_zone: event.target.value })}
        />
      </div>
      {save.error && <Problem error={save.error} />}
      <div className="flex gap-2">
        <Button type="submit" disabled={save.isPending}>
          {quiet ? t`Save` : t`Turn on`}
        </Button>
        {quiet && (
          <Button look="quiet" disabled={save.isPending} onClick={() => save.mutate(null)}>
            <Trans>Turn off</Trans>
          </Button>
        )}
      </div>
    </Form>
  );
}

const NIGHT: QuietHours = {
  from: '22:00',
  until: '07:00',
  time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
};
