import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Starters as Offered } from '@reborn-agent/client/api';
import { useServices } from '../../app/services.ts';
import { Section } from '../../parts/section.tsx';
import { DemoNote, type Start, Starters } from './starters.tsx';

/** For someone who has no thread yet: what this is, and three things to try. */
export function FirstSteps({ starters, ...start }: Start & { readonly starters: Offered['first'] }) {
  const { me } = useServices();
  return (
    <div className="column flex min-h-full flex-col justify-center py-8">
      <h1 className="text-display">
        <Trans>
          It works for you,
          <br />
          and asks before it acts.
        </Trans>
      </h1>
      <p className="mt-2 mb-8 max-w-[56ch] text-reading text-soft">
        <Trans>
          Give it a task, once or every day. It uses your tools, shows each step, and continues where it was after a
          restart.
        </Trans>
      </p>
      <Section title={t`Try it now`} {...(me.model.demo && { note: t`These work without a model` })}>
        <Starters starters={starters} {...start} />
      </Section>
      <DemoNote />
    </div>
  );
}
