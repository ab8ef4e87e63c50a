import { t } from '@lingui/core/macro';
import { Page } from '../parts/page.tsx';
import { Section } from '../parts/section.tsx';
import { Instructions } from './instructions.tsx';
import { Templates } from './templates.tsx';

export function InstructionsPage() {
  return (
    <Page title={t`Instructions`} about={t`What the agent knows about you, and the texts that you send often.`}>
      <Section title={t`Custom instructions`}>
        <div className="card flex flex-col gap-3 p-4">
          <Instructions />
        </div>
      </Section>
      <Section title={t`Prompt templates`}>
        <div className="card flex flex-col gap-3 p-4">
          <Templates />
        </div>
      </Section>
    </Page>
  );
}
