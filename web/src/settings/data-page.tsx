import { t } from '@lingui/core/macro';
import { Page } from '../parts/page.tsx';
import { YourData } from './your-data.tsx';

export function DataPage() {
  return (
    <Page title={t`Your data`} about={t`Take what is stored about you with you, or delete it.`}>
      <YourData />
    </Page>
  );
}
