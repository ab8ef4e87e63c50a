import pg from 'pg';

/** Makes pools that report how many seconds each query or transaction waited for a connection. */
export function measurePools(onWait: (seconds: number) => void): (config: pg.PoolConfig) => pg.Pool {
  return (config) => {
    const pool = new pg.Pool(config);
    const connect = pool.connect.bind(pool);
    pool.connect = ((callback?: Connected): unknown => {
      const askedAt = performance.now();
      const report = () => onWait((performance.now() - askedAt) / 1000);
      if (!callback) return connect().finally(report);
      return connect((error, client, release) => {
        report();
        callback(error, client, release);
      });
    }) as pg.Pool['connect'];
    return pool;
  };
}

type Connected = Parameters<pg.Pool['connect']>[0];
