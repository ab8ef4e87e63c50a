/** What a test's composition may replace. All checks stay on. */
export type Network = {
  /** Every address of the host; none when there is no such host. */
  resolve(host: string, signal?: AbortSignal): Promise<readonly string[]>;
  /** Where a connection to an address really goes. */
  dial?(address: string, port: number): { host: string; port: number; tls: boolean };
};
