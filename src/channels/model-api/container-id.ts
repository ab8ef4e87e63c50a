import { hexFromUuid, uuidFromHex, type WorkspaceId } from '#domain/ids.ts';
import { fileDigits } from '#domain/workspace/container.ts';

export const CONTAINER_ID = /^cntr_([0-9a-f]{32})$/;
export const CONTAINER_FILE_ID = /^cfile_([0-9a-f]{32})$/;

export const formatContainerId = (id: WorkspaceId): string => `cntr_${hexFromUuid(id)}`;

export function parseContainerId(id: string): WorkspaceId | undefined {
  const hex = CONTAINER_ID.exec(id)?.[1];
  return hex === undefined ? undefined : uuidFromHex(hex);
}

/** The id of a file follows from its container and its path, so it stays when the file changes. */
export const formatContainerFileId = (container: WorkspaceId, path: string): string =>
  `cfile_${fileDigits(container, path)}`;
