import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useServices } from '../app/services.ts';
import { Page } from '../parts/page.tsx';
import { Section } from '../parts/section.tsx';
import { Sessions } from './sessions.tsx';
import { Tokens } from './tokens.tsx';

/** The browsers and programs that act for a person. */
export function AccessPage() {
  const { me } = useServices();
  return (
    <Page
      title={t`Access`}
      about={t`The browsers and programs that act for you. Ending one takes effect within seconds.`}
    >
      <Section title={t`Signed-in browsers`}>
        <Sessions />
      </Section>
      {me.user_id !== 'operator' && (
        <Section title={t`Tokens`}>
          <Tokens userId="me" />
        </Section>
      )}
      <Section title={t`API`}>
        <p>
          <Trans>Programs use the same API as this app.</Trans>{' '}
          <a href="/docs" className="link">
            <Trans>API reference</Trans>
          </a>
        </p>
      </Section>
    </Page>
  );
}
