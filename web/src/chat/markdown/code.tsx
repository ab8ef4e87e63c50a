import { t } from '@lingui/core/macro';
import { type ReactNode, use, useState } from 'react';
import { CodeBlock } from 'streamdown';
import { saveFile } from '../../client/files.ts';
import { IconButton } from '../../parts/button.tsx';
import { CopyButton } from '../transcript/row-actions.tsx';
import { fileNameOf } from './file-names.ts';
import { FramesAllowed } from './frames-allowed.ts';
import { isPreviewed, Preview } from './preview.tsx';

type CodeProps = {
  readonly code: string;
  readonly language: string;
  readonly isIncomplete?: boolean;
  readonly children?: ReactNode;
};

/** `children`: further buttons. */
export function Code({ code, language, isIncomplete = false, children }: CodeProps) {
  const [wraps, setWraps] = useState(false);
  const [shown, setShown] = useState(false);
  const canPreview = use(FramesAllowed) && !isIncomplete && isPreviewed(code, language);
  return (
    <>
      <CodeBlock
        code={code}
        language={language}
        isIncomplete={isIncomplete}
        lineNumbers={false}
        className={wraps ? 'wraps' : ''}
      >
        {children}
        {canPreview && (
          <IconButton
            icon="eye"
            label={t`Preview`}
            aria-pressed={shown}
            onClick={() => setShown((before) => !before)}
          />
        )}
        <IconButton
          icon="wrap"
          label={t`Wrap lines`}
          aria-pressed={wraps}
          onClick={() => setWraps((before) => !before)}
        />
        <IconButton
          icon="download"
          label={t`Download`}
          onClick={() => saveFile(new Blob([code], { type: 'text/plain' }), fileNameOf(language))}
        />
        <CopyButton text={code} />
      </CodeBlock>
      {canPreview && shown && <Preview code={code} language={language} />}
    </>
  );
}
