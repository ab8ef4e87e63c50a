import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { CallDecision } from '@reborn-agent/client/api';
import { Link } from '@tanstack/react-router';
import { formatDay, formatExact, formatTime, isSameDay } from '../../../format/time.ts';

/** Who let a call run or not, and when. */
export function DecisionLine({ decided: { answer, by, at } }: { readonly decided: CallDecision }) {
  if (answer === 'rule')
    return (
      <Link to="/settings/approvals" className="link hover:text-ink">
        <Trans>Allowed by a rule</Trans>
      </Link>
    );
  return <span title={at === undefined ? undefined : formatExact(at)}>{wordsOf(answer, by, at)}</span>;
}

function wordsOf(answer: Exclude<CallDecision['answer'], 'rule'>, by: CallDecision['by'], at = ''): string {
  const time = at === '' ? '' : timeOf(at);
  if (answer === 'expired') return t`Expired after 24 hours`;
  if (answer === 'approved')
    return by === 'operator' ? t`Approved by the operator, ${time}` : t`Approved by you, ${time}`;
  return by === 'operator' ? t`Denied by the operator, ${time}` : t`Denied by you, ${time}`;
}

const timeOf = (at: string) => (isSameDay(new Date(at), new Date()) ? formatTime(at) : formatDay(at));

/** Whether the call was stopped by it. */
export const isRefusal = (decided: CallDecision | undefined): boolean =>
  decided?.answer === 'denied' || decided?.answer === 'expired';
