import type { Routes } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../client/client.ts';
import { Problem } from '../parts/problem.tsx';
import { Setting } from '../parts/setting.tsx';
import { Switch } from '../parts/switch.tsx';

type Change = Routes['PATCH /api/me']['body'];

/** A switch for something that the person prefers; it is saved at once. */
export function Preference({
  name,
  about,
  checked,
  change,
}: {
  readonly name: string;
  readonly about: string;
  readonly checked: boolean;
  readonly change: (on: boolean) => Change;
}) {
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: (on: boolean) => client.call('PATCH /api/me', { body: change(on) }),
    onSuccess: (changed) => queries.setQueryData(['me'], changed),
  });
  return (
    <>
      <Setting inline name={name} about={about} savedAt={save.isSuccess ? save.submittedAt : undefined}>
        <Switch
          label={name}
          checked={save.isPending ? save.variables : checked}
          disabled={save.isPending}
          onChange={(on) => save.mutate(on)}
        />
      </Setting>
      {save.error && <Problem error={save.error} />}
    </>
  );
}
