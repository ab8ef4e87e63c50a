import { t } from '@lingui/core/macro';
import type { Activity } from '@reborn-agent/client/api';
import { formatLocales } from '../format/number.ts';
import { formatDuration } from '../format/time.ts';
import { TimeChart } from '../parts/time-chart.tsx';

const MINUTES = 60;
const MINUTE_MS = 60_000;

/** The turns of the last hour, minute by minute. */
export function ActivityCharts({ minutes }: Activity) {
  const common = { points: withQuietMinutes(minutes), time: 'at', formatTime: clockOf, group: 'activity' } as const;
  return (
    <div className="grid gap-4 md:grid-cols-2">
      <TimeChart {...common} title={t`Turns`} value="ended" format={String} />
      <TimeChart {...common} title={t`Failed turns`} value="failed" format={String} />
      <TimeChart {...common} title={t`Wait for a replica, 95 of 100 turns`} value="wait_ms" format={formatDuration} />
      <TimeChart {...common} title={t`Duration, 95 of 100 turns`} value="duration_ms" format={formatDuration} />
    </div>
  );
}

/** All sixty minutes: minutes without ended turns are zero. */
function withQuietMinutes(minutes: Activity['minutes']): Activity['minutes'] {
  const known = new Map(minutes.map((minute) => [minute.at, minute]));
  const current = Math.floor(Date.now() / MINUTE_MS);
  return Array.from({ length: MINUTES }, (_, index) => {
    const at = new Date((current - MINUTES + 1 + index) * MINUTE_MS).toISOString();
    return known.get(at) ?? { at, ended: 0, failed: 0, wait_ms: 0, duration_ms: 0 };
  });
}

const clockOf = (at: string) =>
  at === '' ? '' : new Date(at).toLocaleTimeString(formatLocales(), { hour: '2-digit', minute: '2-digit' });
