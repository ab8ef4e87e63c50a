import { z } from 'zod';
import { PURPOSES, type Upload } from '#domain/workspace/upload.ts';
import { fileId, formatFileId } from '../model-api/file-id.ts';
import { pageOf } from '../model-api/page.ts';

export const fileObject = z
  .strictObject({
    id: fileId,
    object: z.literal('file'),
    bytes: z.int().min(0),
    created_at: z.int().min(0),
    expires_at: z.null().describe('Files stay until they are deleted.'),
    filename: z.string().describe('The last part of the name that was sent, without invisible characters.'),
    purpose: z.enum(PURPOSES),
    status: z.literal('processed'),
    status_details: z.null(),
  })
  .meta({ id: 'FileObject' });

export const filePage = pageOf(fileObject, 'FilePage');

export const deletedFile = z
  .strictObject({ id: fileId, object: z.literal('file'), deleted: z.literal(true) })
  .meta({ id: 'DeletedFile' });

export const renderFile = ({ id, bytes, createdAt, filename, purpose }: Upload): z.infer<typeof fileObject> => ({
  id: formatFileId(id),
  object: 'file',
  bytes,
  created_at: Math.floor(createdAt.getTime() / 1000),
  expires_at: null,
  filename,
  purpose,
  status: 'processed',
  status_details: null,
});
