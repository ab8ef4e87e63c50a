import { Trans } from '@lingui/react/macro';
import { useEffect, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { lookForNewVersion, onNewVersion } from './service-worker.ts';
import { useServices } from './services.ts';

/** Offers a reload once the service has a new version of the app. Looks for one when the connection comes back. */
export function NewVersionBar() {
  const { socket } = useServices();
  const [isNew, setIsNew] = useState(false);
  useEffect(() => onNewVersion(() => setIsNew(true)), []);
  useEffect(
    () => socket.onConnection(() => void (socket.connection().state === 'live' && lookForNewVersion())),
    [socket],
  );
  if (!isNew) return null;
  return (
    <div
      role="status"
      className="flex shrink-0 flex-wrap items-center justify-center gap-3 border-b border-line bg-sunken px-4 py-2 text-meta"
    >
      <Trans>A new version of the app is ready.</Trans>
      <Button icon="retry" onClick={() => location.reload()}>
        <Trans>Reload</Trans>
      </Button>
    </div>
  );
}
