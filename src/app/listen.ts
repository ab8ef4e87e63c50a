import type { FastifyInstance } from 'fastify';

/** Reports a port that is in use, with the option to change: to `onTaken`, or else by throwing. */
export async function listen(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
  option: 'GATEWAY_PORT' | 'HTTP_PORT',
  onTaken?: (notice: string) => void,
): Promise<string | undefined> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const notice = `Port ${port} on ${host} is in use. Set ${option} to another port.`;
    if (!onTaken) throw new Error(notice, { cause: error });
    onTaken(notice);
    return undefined;
  }
}
