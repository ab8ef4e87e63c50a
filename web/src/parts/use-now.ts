import { useEffect, useState } from 'react';

/** The time, for what counts up or down. */
export function useNow(everyMs = 200): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
