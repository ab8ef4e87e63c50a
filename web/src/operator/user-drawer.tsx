import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { User } from '@reborn-agent/client/api';
import { useQuery } from '@tanstack/react-query';
import { client } from '../client/client.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Problem } from '../parts/problem.tsx';
import { Section } from '../parts/section.tsx';
import { Pairings } from '../settings/pairings.tsx';
import { Sessions } from '../settings/sessions.tsx';
import { Tokens } from '../settings/tokens.tsx';
import { SpendingLimits } from './spending-limits.tsx';
import { UserEnd } from './user-end.tsx';
import { UserProfile } from './user-profile.tsx';

export function UserDrawer({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  return (
    <Dialog title={user.name} place="side" onClose={onClose}>
      <div className="flex flex-col gap-7">
        <p className="text-soft">
          {user.email ?? t`no email`}, <span className="exact">{user.id}</span>
        </p>
        <UserProfile user={user} />
        <SpendingLimits userId={user.id} limits={user.limits} />
        <Section title={t`Signed-in browsers`}>
          <Sessions userId={user.id} />
        </Section>
        <Section title={t`Tokens`}>
          <Tokens userId={user.id} />
        </Section>
        <Pairings userId={user.id} />
        <UserEnd user={user} onGone={onClose} />
      </div>
    </Dialog>
  );
}

export const OPERATOR_ID = 'operator';

/** The operator of the service's own token: without an account, so that no one can take the role from them. */
export function OperatorDrawer({ onClose }: { readonly onClose: () => void }) {
  const { data, error } = useQuery({
    queryKey: ['users', 'limits', OPERATOR_ID],
    queryFn: () => client.call('GET /api/users/{id}/limits', { params: { id: OPERATOR_ID } }),
  });
  return (
    <Dialog title={t`Operator`} place="side" onClose={onClose}>
      <div className="flex flex-col gap-7">
        <p className="text-soft">
          <Trans>
            Whoever has the token of the service. It has no account: its name and role can't be changed, and it can't be
            removed. Replace the token on the machine to end its sessions.
          </Trans>
        </p>
        {error && <Problem error={error} />}
        {data && <SpendingLimits userId={OPERATOR_ID} limits={data} />}
        <Section title={t`Signed-in browsers`}>
          <Sessions userId={OPERATOR_ID} />
        </Section>
      </div>
    </Dialog>
  );
}
