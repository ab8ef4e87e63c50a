import { t } from '@lingui/core/macro';
import { useServices } from '../app/services.ts';
import { Page } from '../parts/page.tsx';
import { Pairings } from './pairings.tsx';
import { StandingApprovals } from './standing-approvals.tsx';

export function ApprovalsPage() {
  const { me } = useServices();
  return (
    <Page title={t`Approvals`} about={t`Calls like these run without a question, because you have chosen “Always…”.`}>
      <StandingApprovals />
      <Pairings userId={me.user_id} />
    </Page>
  );
}
