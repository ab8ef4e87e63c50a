import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { pathOf } from '@reborn-agent/client';
import type { FileList, FullProject } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { usePickedFiles } from '../chat/composer/picked-files.tsx';
import { client } from '../client/client.ts';
import { download } from '../client/files.ts';
import { kindOf, kindWords, nameOf } from '../files/kinds.ts';
import { Tile } from '../files/tile.tsx';
import { formatBytes } from '../format/number.ts';
import { Button, IconButton } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Listed } from '../parts/listed.tsx';
import { Listing } from '../parts/listing.tsx';
import { Problem } from '../parts/problem.tsx';

type File = FileList['files'][number];

/** The files that all threads of the project can read. */
export function ProjectFiles({ project: { id, role } }: { readonly project: FullProject }) {
  const { data, error, refetch } = useQuery({
    queryKey: filesOf(id),
    queryFn: () => client.call('GET /api/projects/{id}/files', { params: { id } }),
  });
  const mayWrite = role !== 'read';
  return (
    <div className="flex flex-col gap-4">
      {mayWrite && <AddFiles id={id} />}
      <Listed
        rows={data?.files}
        error={error}
        onRetry={() => void refetch()}
        label={t`Loading the files`}
        empty={
          <EmptyState icon="file" title={t`No files in this project yet`}>
            {mayWrite ? t`Add files that its threads should know.` : t`Members who may write can add some.`}
          </EmptyState>
        }
      >
        {(files) => (
          <Listing label={t`Files`} rows={files} keyOf={({ path }) => path}>
            {(file) => <FileRow id={id} file={file} mayWrite={mayWrite} />}
          </Listing>
        )}
      </Listed>
    </div>
  );
}

const filesOf = (id: string) => ['project', id, 'files'];

function AddFiles({ id }: { readonly id: string }) {
  const queries = useQueryClient();
  const { picked, remove, choose, chooser, list } = usePickedFiles();
  const upload = useMutation({
    mutationFn: async () => {
      for (const { id: key, file, isOwn } of picked) {
        const params = { id, path: file.name };
        const query = { own: isOwn ? 'true' : 'false' } as const;
        const files = await client.call('PUT /api/projects/{id}/files/{path}', { params, query, body: file });
        queries.setQueryData(filesOf(id), files);
        remove(key);
      }
    },
  });
  return (
    <div className="flex flex-col gap-2">
      <Button icon="add" className="self-start" onClick={choose}>
        <Trans>Add files</Trans>
      </Button>
      {chooser}
      {list}
      {picked.length > 0 && (
        <Button look="act" className="self-start" disabled={upload.isPending} onClick={() => upload.mutate()}>
          <Trans>Upload</Trans>
        </Button>
      )}
      {upload.error && <Problem error={upload.error} />}
    </div>
  );
}

function FileRow({ id, file, mayWrite }: { readonly id: string; readonly file: File; readonly mayWrite: boolean }) {
  const { path, bytes } = file;
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const params = { id, path };
  const fetchFile = useMutation({
    mutationFn: () => download(pathOf('GET /api/projects/{id}/files/{path}', { params }), nameOf(path)),
  });
  const remove = useMutation({
    mutationFn: () => client.call('DELETE /api/projects/{id}/files/{path}', { params }),
    onSuccess: (files) => queries.setQueryData(filesOf(id), files),
  });
  const problem = fetchFile.error ?? remove.error;
  return (
    <>
      <Tile path={path} />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium" title={path}>
          {path}
        </span>
        <span className="block truncate text-meta text-soft">
          {kindWords(kindOf(path))}, {formatBytes(bytes)}
        </span>
      </span>
      <span className="flex">
        <IconButton icon="download" label={t`Download ${path}`} onClick={() => fetchFile.mutate()} />
        {mayWrite && <IconButton icon="trash" label={t`Remove ${path}`} onClick={() => setAsking(true)} />}
      </span>
      {problem && <Problem error={problem} />}
      {asking && (
        <Confirm
          title={t`Remove this file?`}
          action={t`Remove`}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        >
          <Trans>Threads of the project can't read {path} any more, also those of other members.</Trans>
        </Confirm>
      )}
    </>
  );
}
