import { z } from 'zod';
import type { ContainerFile } from '#agent/workspace/container-files.ts';
import type { WorkspaceId } from '#domain/ids.ts';
import type { Container } from '#domain/workspace/container.ts';
import {
  CONTAINER_FILE_ID,
  CONTAINER_ID,
  formatContainerFileId,
  formatContainerId,
} from '../model-api/container-id.ts';
import { pageOf } from '../model-api/page.ts';

const containerId = z.string().regex(CONTAINER_ID);
const containerFileId = z.string().regex(CONTAINER_FILE_ID);
const time = z.int().min(0);

export const containerObject = z
  .strictObject({
    id: containerId,
    object: z.literal('container'),
    created_at: time,
    last_active_at: time,
    status: z.literal('running'),
    name: z.string(),
    expires_after: z
      .strictObject({ anchor: z.literal('last_active_at'), minutes: z.int().min(1) })
      .optional()
      .describe('Missing for a container that stays until it is deleted.'),
    network_policy: z.strictObject({ type: z.literal('disabled') }),
  })
  .meta({ id: 'Container' });

export const containerFileObject = z
  .strictObject({
    id: containerFileId,
    object: z.literal('container.file'),
    container_id: containerId,
    bytes: z.int().min(0),
    created_at: time.describe('When it was changed last.'),
    path: z.string().startsWith('/mnt/data/'),
    source: z.enum(['user', 'assistant']),
  })
  .meta({ id: 'ContainerFile' });

export const containerPage = pageOf(containerObject, 'ContainerPage');
export const containerFilePage = pageOf(containerFileObject, 'ContainerFilePage');

export const deletedContainer = z
  .strictObject({ id: containerId, object: z.literal('container.deleted'), deleted: z.literal(true) })
  .meta({ id: 'DeletedContainer' });

export const deletedContainerFile = z
  .strictObject({ id: containerFileId, object: z.literal('container.file.deleted'), deleted: z.literal(true) })
  .meta({ id: 'DeletedContainerFile' });

const seconds = (date: Date) => Math.floor(date.getTime() / 1000);

export const renderContainer = (container: Container): z.infer<typeof containerObject> => ({
  id: formatContainerId(container.id),
  object: 'container',
  created_at: seconds(container.createdAt),
  last_active_at: seconds(container.lastActiveAt),
  status: 'running',
  name: container.name ?? 'Conversation',
  ...(container.expiresMinutes !== null && {
    expires_after: { anchor: 'last_active_at', minutes: container.expiresMinutes },
  }),
  network_policy: { type: 'disabled' },
});

export const renderContainerFile = (id: WorkspaceId, file: ContainerFile): z.infer<typeof containerFileObject> => ({
  id: formatContainerFileId(id, file.path),
  object: 'container.file',
  container_id: formatContainerId(id),
  bytes: file.bytes,
  created_at: seconds(file.createdAt),
  path: `/mnt/data/${file.path}`,
  source: file.cause === 'call' ? 'assistant' : 'user',
});
