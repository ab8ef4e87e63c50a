import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ProviderModel } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../../client/client.ts';
import { Button } from '../../parts/button.tsx';
import { wordsOf } from '../../parts/error-words.ts';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Section } from '../../parts/section.tsx';

/** The models that answer in the place of one that does not. */
export function FallbackOrder({ models }: { readonly models: readonly ProviderModel[] }) {
  const { data } = useQuery({ queryKey: ['settings'], queryFn: () => client.call('GET /api/settings') });
  const queries = useQueryClient();
  const write = useMutation({
    mutationFn: (fallbacks: readonly string[]) => client.call('PATCH /api/settings', { body: { fallbacks } }),
    onSuccess: (changed) => queries.setQueryData(['settings'], changed),
  });
  if (!data) return null;
  const order = write.variables && write.isPending ? write.variables : data.fallbacks;
  const routes = models.flatMap(({ route }) => (route === null ? [] : [route]));
  const free = routes.filter((route) => !order.includes(route));
  return (
    <Section title={t`3 When a model does not answer`}>
      <div className="card flex flex-wrap items-center gap-x-7 gap-y-3 p-4">
        <div className="min-w-0 flex-1 basis-60">
          <h3 className="font-medium">
            <Trans>Then try</Trans>
          </h3>
          <p className="text-meta text-soft">
            <Trans>In this order, for turns that have not started to answer.</Trans>
          </p>
        </div>
        <div className="flex min-w-0 flex-wrap items-center gap-2">
          <ol className="contents">
            {order.map((route, at) => (
              <li key={route} className="contents">
                <Menu
                  trigger={
                    <button
                      type="button"
                      aria-label={t`${route}, number ${at + 1}`}
                      className="chip max-w-full hover:bg-hover"
                    >
                      <span className="min-w-0 truncate exact">{route}</span>
                      <Icon name="down" className="size-3 text-soft" />
                    </button>
                  }
                  entries={[
                    ...(at > 0
                      ? [
                          {
                            words: t`Try earlier`,
                            icon: 'back',
                            onChoose: () => write.mutate(swap(order, at - 1)),
                          } as const,
                        ]
                      : []),
                    ...(at < order.length - 1
                      ? [{ words: t`Try later`, icon: 'right', onChoose: () => write.mutate(swap(order, at)) } as const]
                      : []),
                    {
                      words: t`Remove`,
                      icon: 'trash',
                      onChoose: () => write.mutate(order.filter((each) => each !== route)),
                    },
                  ]}
                />
              </li>
            ))}
          </ol>
          {free.length > 0 && (
            <Menu
              trigger={
                <Button look="quiet" icon="add">
                  <Trans>Add</Trans>
                </Button>
              }
              entries={free.map((route) => ({
                words: route,
                icon: 'model',
                onChoose: () => write.mutate([...order, route]),
              }))}
            />
          )}
          {routes.length === 0 && (
            <span className="text-soft">
              <Trans>Switch a model on first.</Trans>
            </span>
          )}
        </div>
        {write.error && <p className="basis-full text-meta text-failed">{wordsOf(write.error)}</p>}
      </div>
    </Section>
  );
}

/** The entry at `at` and the next one change places. */
const swap = (order: readonly string[], at: number): string[] => {
  const moved = [...order];
  moved.splice(at, 2, ...order.slice(at, at + 2).toReversed());
  return moved;
};
