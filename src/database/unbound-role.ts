import pg from 'pg';

/** Row-level security applies neither to superusers nor to roles with BYPASSRLS, not even on tables that force it. */
export async function warnOfUnboundRole(
  connection: pg.ClientConfig,
  log: { warn(message: string): void },
): Promise<void> {
  const client = new pg.Client(connection);
  client.on('error', () => {}); // a lost connection fails the query, which reports it
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select rolname as name from pg_roles where rolname = current_user and (rolsuper or rolbypassrls)`,
    );
    const [role] = rows;
    if (role)
      log.warn(
        `The database role "${role.name}" bypasses row-level security, so one of the two barriers between users ` +
          'is missing. Create a role without SUPERUSER and BYPASSRLS, make it the owner of the database, and use it in DATABASE_URL.',
      );
  } finally {
    await client.end();
  }
}
