export type CrashRules = { readonly limit: number; readonly windowMs: number; readonly restMs: number };

export type CrashLedger = {
  record(name: string): void;
  /** Milliseconds until the tool can be called again; 0 when it may be called. */
  quarantineLeft(name: string): number;
  forget(name: string): void;
};

/** Counts the crashes of each tool. A tool that crashes too often is in quarantine for `restMs`. */
export function createCrashLedger(rules: CrashRules, now: () => number = () => performance.now()): CrashLedger {
  const crashes = new Map<string, number[]>();
  const until = new Map<string, number>();

  return {
    record(name) {
      const recent = (crashes.get(name) ?? []).filter((time) => time > now() - rules.windowMs);
      recent.push(now());
      crashes.set(name, recent);
      if (recent.length < rules.limit) return;
      crashes.delete(name);
      until.set(name, now() + rules.restMs);
    },
    quarantineLeft(name) {
      const left = Math.max(0, (until.get(name) ?? 0) - now());
      if (left === 0) until.delete(name);
      return left;
    },
    forget(name) {
      crashes.delete(name);
      until.delete(name);
    },
  };
}
