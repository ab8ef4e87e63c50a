import { useEffect, useState } from 'react';
import { formatAgo, formatExact } from '../format/time.ts';

/** A time in words, with the exact one on hover. */
export function RelativeTime({ time }: { readonly time: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={time} title={formatExact(time)} className="whitespace-nowrap">
      {formatAgo(time, now)}
    </time>
  );
}
