import pg from 'pg';

/** Row-level security binds neither a superuser nor a role with BYPASSRLS, not even on tables that force it. */
export async function warnOfUnboundRole(
  connection: pg.ClientConfig,
  log: { warn(message: string): void },
): Promise<void> {
  const client = new pg.Client(connection);
  client.on('error', () => {}); // a cut line fails the query, which reports it
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select rolname as name from pg_roles where rolname = current_user and (rolsuper or rolbypassrls)`,
    );
    const [role] = rows;
    if (role)
      log.warn(
        `The database role "${role.name}" is not bound by row-level security, so one of the two walls between users ` +
          'is missing. Create a role that is neither SUPERUSER nor BYPASSRLS, let it own the database, and name it in DATABASE_URL.',
      );
  } finally {
    await client.end();
  }
}
