import { useEffect, useState } from 'react';
import { requestFile } from './files.ts';

/** A picture of the service as an address. The bytes come with the key of the session, which an address alone does not carry. */
export function useFileUrl(path: string): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    let opened: string | undefined;
    let isGone = false;
    requestFile(path).then(
      (file) => {
        opened = file.url;
        if (isGone) URL.revokeObjectURL(file.url);
        else setUrl(file.url);
      },
      () => setUrl(undefined), // the words that are shown instead stay
    );
    return () => {
      isGone = true;
      if (opened) URL.revokeObjectURL(opened);
    };
  }, [path]);
  return url;
}
