import { t } from '@lingui/core/macro';
import { Page } from '../parts/page.tsx';
import { SharedThreads } from './shared-threads.tsx';

export function SharedPage() {
  return (
    <Page title={t`Shared threads`} about={t`Anyone with the link can read these threads.`}>
      <SharedThreads />
    </Page>
  );
}
