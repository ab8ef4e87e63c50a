import { t } from '@lingui/core/macro';
import { Page } from '../parts/page.tsx';
import { ChatApps } from './chat-apps.tsx';

export function ChatAppsPage() {
  return (
    <Page title={t`Chat apps`} about={t`Link your account, then talk to the agent there and answer its questions.`}>
      <ChatApps />
    </Page>
  );
}
