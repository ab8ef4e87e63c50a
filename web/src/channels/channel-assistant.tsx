import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ListedChannel } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { assistantChoices } from '../assistants/assistant-field.tsx';
import { ASSISTANTS } from '../assistants/use-assistants.ts';
import { client } from '../client/client.ts';
import { Problem } from '../parts/problem.tsx';
import { Select } from '../parts/select.tsx';

/** Who answers in the chats of a channel that have chosen no one: a channel acts for several users, so it is one for everyone. */
export function ChannelAssistant({ channel: { id, name, assistant } }: { readonly channel: ListedChannel }) {
  const queries = useQueryClient();
  const { data } = useQuery(ASSISTANTS);
  const shared = data?.assistants.filter((each) => each.for === 'everyone') ?? [];
  const change = useMutation({
    mutationFn: (chosen: string) =>
      client.call('PATCH /api/channels/{id}', { params: { id }, body: { assistant: chosen || null } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['channels'] }),
  });
  if (shared.length === 0 && assistant === null) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="text-meta text-soft" aria-hidden>
        <Trans>Answers, unless a chat has chosen another assistant</Trans>
      </span>
      <Select
        label={t`Assistant of ${name}`}
        choices={assistantChoices(shared, assistant ?? '')}
        value={assistant ?? ''}
        onChoose={(chosen) => change.mutate(chosen)}
      />
      {change.error && <Problem error={change.error} />}
    </div>
  );
}
