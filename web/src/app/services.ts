import type { Me } from '@reborn-agent/client/api';
import type { Connection, Socket } from '@reborn-agent/client/socket';
import { createContext, use, useSyncExternalStore } from 'react';

/** What every page can count on: who is here, and the connection. */
export type Services = { readonly me: Me; readonly socket: Socket };

export const ServicesContext = createContext<Services | undefined>(undefined);

export function useServices(): Services {
  const services = use(ServicesContext);
  if (!services) throw new Error('A page is shown outside of the shell.');
  return services;
}

export function useConnection(): Connection {
  const { socket } = useServices();
  return useSyncExternalStore(socket.onConnection, socket.connection);
}
