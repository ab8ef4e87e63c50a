import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { AgentTool, ToolPolicy as Policy } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { ChoiceField } from '../parts/field.tsx';
import { Problem } from '../parts/problem.tsx';

type Level = AgentTool['level'];

const choices = (own: Level): readonly { readonly value: Policy['level'] | 'own'; readonly words: string }[] => [
  { value: 'own', words: t`As the tool says: ${wordsOfLevel(own)}` },
  { value: 'allow', words: t`Runs at once` },
  { value: 'ask', words: t`Asks each time` },
  { value: 'never', words: t`Never runs` },
];

/** The policies of all tools, for the operator. */
function usePolicies(): readonly Policy[] {
  const { me } = useServices();
  const { data } = useQuery({
    queryKey: ['tool-policies'],
    queryFn: () => client.call('GET /api/tool-policies'),
    enabled: me.role === 'operator',
  });
  return data?.policies ?? [];
}

/** What a level means in a list. */
export const wordsOfLevel = (level: Level): string =>
  ({
    allow: t`runs at once`,
    ask: t`asks each time`,
    never: t`never runs`,
    depends: t`asks for some calls`,
  })[level];

/** The operator's policy of a tool, and how to change it. */
function usePolicy(tool: string) {
  const queries = useQueryClient();
  const policies = usePolicies();
  const change = useMutation({
    mutationFn: async ({ name, level }: { name: string; level: Policy['level'] | 'own' }) => {
      const params = { tool: name };
      if (level === 'own') await client.call('DELETE /api/tool-policies/{tool}', { params });
      else await client.call('PUT /api/tool-policies/{tool}', { params, body: { level } });
    },
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['tool-policies'] }),
        queries.invalidateQueries({ queryKey: ['tools'] }),
      ]),
  });
  const stored = policies.find((policy) => policy.tool === tool)?.level ?? 'own';
  const current = change.isPending && change.variables.name === tool ? change.variables.level : stored;
  return { policies, change, current };
}

/** Whether the calls of a tool run, ask or are refused. Only the operator decides it; the others read it. */
export function ToolPolicy({ tool: { name: tool, level: applied, own_level: own } }: { readonly tool: AgentTool }) {
  const { me } = useServices();
  const { policies, change, current } = usePolicy(tool);
  if (me.role !== 'operator') return <p>{explainLevel(applied)}</p>;
  const blocked = policies.filter((policy) => policy.tool.startsWith(`${tool}@`));
  return (
    <section className="flex flex-col gap-3">
      {change.error && <Problem error={change.error} />}
      <ChoiceField
        label={t`Policy for all users`}
        choices={choices(own)}
        hint={explainLevel(applied)}
        value={current}
        onChoose={(level) => change.mutate({ name: tool, level })}
      />
      {blocked.map(({ tool: name }) => (
        <p key={name} className="flex flex-wrap items-center gap-3">
          <span className="min-w-0 flex-1">
            <Trans>
              Blocked for {name.slice(tool.length + 1)}, because it tried to send a secret in one of their calls.
            </Trans>
          </span>
          <Button onClick={() => change.mutate({ name, level: 'own' })}>
            <Trans>Lift</Trans>
          </Button>
        </p>
      ))}
    </section>
  );
}

/** The same in one line of a list: Allow, Ask or Off for the operator, words for the others. */
export function ToolPolicyInList({ tool }: { readonly tool: AgentTool }) {
  const { me } = useServices();
  const { change, current } = usePolicy(tool.name);
  if (me.role !== 'operator') return <span className="text-meta text-soft">{wordsOfLevel(tool.level)}</span>;
  return (
    <span className="flex w-64 max-w-full flex-col gap-1">
      <select
        className="field w-full"
        aria-label={t`Policy of ${tool.name} for all users`}
        value={current}
        onChange={({ target }) => change.mutate({ name: tool.name, level: target.value as typeof current })}
      >
        <option value="own">{t`As the tool says: ${wordsOfLevel(tool.own_level)}`}</option>
        <option value="allow">{t`Allow`}</option>
        <option value="ask">{t`Ask`}</option>
        <option value="never">{t`Off`}</option>
      </select>
      {change.error && <Problem error={change.error} />}
    </span>
  );
}

const explainLevel = (level: Level): string =>
  ({
    allow: t`Its calls run at once, without a question.`,
    ask: t`Its calls wait for your approval.`,
    never: t`Its calls are refused.`,
    depends: t`Some calls run at once and others wait for your approval. The arguments decide.`,
  })[level];
