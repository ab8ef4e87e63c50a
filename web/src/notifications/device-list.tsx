import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ApiError } from '@reborn-agent/client';
import type { Device } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { wordsOf } from '../parts/error-words.ts';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { changeDevice, findSubscription, turnOff, turnOn, whyNoPush } from './push.ts';

/** The browsers that show notifications, and whether this one does. */
export function DeviceList() {
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['devices'],
    queryFn: async () => {
      const listed = await client.call('GET /api/notifications/devices');
      return { ...listed, own: (await findSubscription())?.endpoint };
    },
  });
  const on = useMutation({
    mutationFn: turnOn,
    onSettled: () => queries.invalidateQueries({ queryKey: ['devices'] }),
  });
  const problem = whyNoPush();
  const isOn = data?.devices.some(({ endpoint }) => endpoint === data.own);
  return (
    <section aria-label={t`Devices`} className="flex flex-col gap-3">
      <h2 className="font-semibold">
        <Trans>Devices</Trans>
      </h2>
      {error && <Problem error={error} />}
      {on.error && <p role="alert">{on.error instanceof ApiError ? wordsOf(on.error) : on.error.message}</p>}
      {data && !isOn && (
        <div className="flex flex-wrap items-center gap-3">
          {problem === undefined ? (
            <Button icon="bell" disabled={on.isPending} onClick={() => on.mutate(data.application_server_key)}>
              <Trans>Turn on in this browser</Trans>
            </Button>
          ) : (
            <p className="text-soft">{problem}</p>
          )}
        </div>
      )}
      {data && data.devices.length > 0 && (
        <ul aria-label={t`Devices`} className="flex flex-col divide-y divide-line border-y border-line">
          {data.devices.map((device) => (
            <DeviceRow key={device.id} device={device} isThis={device.endpoint === data.own} />
          ))}
        </ul>
      )}
    </section>
  );
}

function DeviceRow({ device, isThis }: { readonly device: Device; readonly isThis: boolean }) {
  const queries = useQueryClient();
  const params = { id: device.id };
  const onSuccess = () => queries.invalidateQueries({ queryKey: ['devices'] });
  const test = useMutation({
    mutationFn: () => client.call('POST /api/notifications/devices/{id}/test', { params }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['deliveries'] }),
  });
  const remove = useMutation({ mutationFn: () => turnOff(device), onSuccess });
  const change = useMutation({
    mutationFn: () => changeDevice({ ...device, details: !device.details }),
    onSuccess,
  });
  const error = test.error ?? remove.error ?? change.error;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
      <span className="min-w-0 flex-1 basis-48">
        <span className="block truncate font-medium">{device.name}</span>
        <span className="block text-meta text-soft">
          {isThis ? (
            <Trans>
              This browser, added <RelativeTime time={device.created_at} />
            </Trans>
          ) : (
            <Trans>
              Added <RelativeTime time={device.created_at} />
            </Trans>
          )}
        </span>
      </span>
      {isThis && (
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            checked={device.details}
            disabled={change.isPending}
            onChange={() => change.mutate()}
          />
          <span>
            <Trans>Show details</Trans>
          </span>
        </label>
      )}
      <Button disabled={test.isPending} onClick={() => test.mutate()}>
        <Trans>Send a test</Trans>
      </Button>
      <Button look="quiet" disabled={remove.isPending} onClick={() => remove.mutate()}>
        {isThis ? t`Turn off` : t`Remove`}
      </Button>
      {error && <Problem error={error} />}
    </li>
  );
}
