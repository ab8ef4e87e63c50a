import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Starters as Offered } from '@reborn-agent/client/api';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useServices } from '../../app/services.ts';
import { HERE } from '../../missions/mission-words.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { Problem } from '../../parts/problem.tsx';

/** How a thread begins: with a message that is sent, or with words in the composer. */
export type Start = {
  readonly onSend: (message: string) => Promise<void>;
  readonly onCompose: (text: string) => void;
};

type Starter = {
  readonly icon: IconName;
  readonly title: string;
  readonly about: string;
  readonly message: string;
  /** The person completes the message, or adds a file to it. */
  readonly isBegun?: true;
};

type Props = Start & { readonly starters: Offered['first'] };

export function Starters({ starters, onSend, onCompose }: Props) {
  const send = useMutation({ mutationFn: (message: string) => onSend(message) });
  return (
    <>
      <ul className="grid gap-2 md:grid-cols-3">
        {starters.map((name) => {
          const { icon, title, about, message, isBegun } = STARTERS[name]();
          return (
            <li key={name}>
              <button
                type="button"
                disabled={send.isPending}
                onClick={() => (isBegun ? onCompose(message) : send.mutate(message))}
                className="card grid h-full w-full grid-cols-[16px_1fr] content-start gap-x-3 gap-y-0.5 px-3.5 pt-3 pb-3.5 text-start hover:border-edge hover:bg-hover md:grid-cols-1"
              >
                <Icon name={icon} className="row-span-2 mt-0.5 text-soft md:row-span-1 md:mb-2" />
                <span className="font-medium">{title}</span>
                <span className="text-meta text-soft">{about}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {send.error && <Problem error={send.error} />}
    </>
  );
}

/** The demo model knows these messages, in every language. */
const STARTERS: Readonly<Record<Offered['first'][number], () => Starter>> = {
  approval: () => ({
    icon: 'shield',
    title: t`See an approval`,
    about: t`It wants to save a note, and asks you first`,
    message: t`Save a note that I prefer short answers, and ask me first.`,
  }),
  mission: () => {
    const zone = HERE;
    return {
      icon: 'clock',
      title: t`Create a mission`,
      about: t`A reminder tomorrow at 08:00`,
      message: t`Remind me tomorrow at 08:00 (${zone}) to plan the day.`,
    };
  },
  chart: () => ({
    icon: 'table',
    title: t`Make a chart`,
    about: t`It runs Python on a small table`,
    message: t`Make a chart of six months of sales. Invent the numbers.`,
  }),
  file: () => ({
    icon: 'file',
    title: t`Ask about a file`,
    about: t`PDF, Word, Excel, images`,
    message: t`What is in this file?`,
    isBegun: true,
  }),
  daily: () => {
    const zone = HERE;
    return {
      icon: 'clock',
      title: t`Do something every day`,
      about: t`Say what and when`,
      message: t`Every weekday at 08:00 (${zone}): `,
      isBegun: true,
    };
  },
  topic: () => ({
    icon: 'search',
    title: t`Find out about a topic`,
    about: t`With sources for each claim`,
    message: t`Find out, with a source for each claim: `,
    isBegun: true,
  }),
};

/** Nothing once a model is set up. */
export function DemoNote() {
  const { me } = useServices();
  if (!me.model.demo) return null;
  return (
    <div className="mt-4 flex flex-wrap items-center gap-x-2 gap-y-2 rounded-lg border border-line bg-sunken py-2 ps-3.5 pe-2">
      <Icon name="model" className="text-soft" />
      <p className="min-w-0 flex-1 basis-60">
        <Trans>
          <strong className="font-medium">The demo model answers now.</strong>{' '}
          <span className="text-soft">It shows how things work, and does not think.</span>
        </Trans>
      </p>
      {me.role === 'operator' && (
        <Link
          to="/settings/models"
          className="inline-flex min-h-target items-center rounded bg-ember px-3 font-medium text-on-ember hover:brightness-110"
        >
          <Trans>Add a model</Trans>
        </Link>
      )}
    </div>
  );
}
