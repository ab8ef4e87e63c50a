/** The parts that tests may replace. All checks stay on. */
export type Network = {
  /** Every address of the host; empty when there is no such host. */
  resolve(host: string, signal?: AbortSignal): Promise<readonly string[]>;
  /** Where a connection to an address actually goes. */
  dial?(address: string, port: number): { host: string; port: number; tls: boolean };
};
