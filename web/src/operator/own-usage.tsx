import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { UsageReport } from '@reborn-agent/client/api';
import { AskForMore } from '../failures/ask-for-more.tsx';
import { formatCost, formatTokens } from '../format/number.ts';
import { formatTime } from '../format/time.ts';
import { Section } from '../parts/section.tsx';
import { totalOf } from './sum-usage.ts';

/** What a person has used today and in this month, and how much of their limit that is. */
export function OwnUsage({ report, now }: { readonly report: UsageReport; readonly now: Date }) {
  const { usage, limits } = report;
  const day = now.toISOString().slice(0, 10);
  const today = totalOf(usage.filter((row) => row.day === day));
  const month = totalOf(usage.filter((row) => row.day.startsWith(day.slice(0, 7))));
  const midnight = new Date(Date.parse(day) + 86_400_000).toISOString();
  const isLimited = limits.tokens_per_day !== null || limits.usd_per_day !== null;
  const isReached =
    (limits.tokens_per_day !== null && today.tokens >= limits.tokens_per_day) ||
    (limits.usd_per_day !== null && today.cost >= limits.usd_per_day);
  return (
    <>
      <Section title={t`Today`}>
        <div className="card divide-y divide-line">
          <Share name={t`Tokens`} used={today.tokens} limit={limits.tokens_per_day} format={formatTokens} />
          <Share name={t`Cost`} used={today.cost} limit={limits.usd_per_day} format={formatCost} />
        </div>
        <p className="text-meta text-soft">
          {isLimited ? t`The limit starts again at ${formatTime(midnight)}.` : t`There is no limit for you.`}
        </p>
        {isReached && (
          <div>
            <AskForMore />
          </div>
        )}
      </Section>
      <Section title={t`This month`}>
        <div className="card divide-y divide-line">
          <Share name={t`Tokens`} used={month.tokens} limit={null} format={formatTokens} />
          <Share name={t`Cost`} used={month.cost} limit={null} format={formatCost} />
        </div>
        <p className="text-meta text-soft">
          <Trans>Days and months are those of UTC. Calls without a known price are missing from the cost.</Trans>
        </p>
      </Section>
    </>
  );
}

type ShareProps = {
  readonly name: string;
  readonly used: number;
  readonly limit: number | null;
  readonly format: (value: number) => string;
};

/** A number, with a bar if it is limited. */
function Share({ name, used, limit, format }: ShareProps) {
  const words = limit === null ? format(used) : t`${format(used)} of ${format(limit)}`;
  const share = limit === null || limit === 0 ? 1 : Math.min(used / limit, 1);
  return (
    <div className="flex flex-col gap-2 p-3.5">
      <p className="flex justify-between gap-4">
        <span className="font-medium">{name}</span>
        <span className="tabular-nums">{words}</span>
      </p>
      {limit !== null && (
        <div
          role="meter"
          aria-label={name}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(used, limit)}
          aria-valuetext={words}
          className="h-1.5 overflow-hidden rounded-full bg-sunken"
        >
          <div className={`h-full ${share < 1 ? 'bg-ink' : 'bg-failed'}`} style={{ inlineSize: `${share * 100}%` }} />
        </div>
      )}
    </div>
  );
}
