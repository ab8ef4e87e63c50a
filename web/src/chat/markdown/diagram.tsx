import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect, useState } from 'react';
import { saveFile } from '../../client/files.ts';
import { IconButton } from '../../parts/button.tsx';
import { wordsOf } from '../../parts/error-words.ts';
import { useIsDark } from '../../theme/theme.ts';
import { CopyButton } from '../transcript/row-actions.tsx';
import { Code } from './code.tsx';
import { type Drawing, drawDiagram, toImageAddress } from './draw-diagram.ts';

/** Pixels below which the labels of a wide diagram can't be read; it scrolls then. */
const SMALLEST = 560;

/** A diagram as an image, which can neither run nor load anything. Its source stays within reach. */
export function Diagram({ source }: { readonly source: string }) {
  const dark = useIsDark();
  const [drawing, setDrawing] = useState<Drawing>();
  const [problem, setProblem] = useState<string>();
  const [showsSource, setShowsSource] = useState(false);
  useEffect(() => {
    let isGone = false;
    drawDiagram(source, dark).then(
      (drawn) => {
        if (isGone) return;
        setDrawing(drawn);
        setProblem(undefined);
      },
      (error: unknown) => isGone || setProblem(wordsOf(error)),
    );
    return () => {
      isGone = true;
    };
  }, [source, dark]);

  const toggle = drawing && (
    <IconButton
      icon={showsSource ? 'eye' : 'code'}
      label={showsSource ? t`Show the diagram` : t`Show the source`}
      onClick={() => setShowsSource((before) => !before)}
    />
  );
  if (!drawing || showsSource)
    return (
      <>
        <Code code={source} language="mermaid">
          {toggle}
        </Code>
        {problem !== undefined && (
          <p className="break-words text-meta text-soft">
            <Trans>The diagram can't be drawn. {problem.slice(0, 300)}</Trans>
          </p>
        )}
      </>
    );
  return (
    <figure className="card p-2">
      <div className="flex justify-end">
        {toggle}
        <IconButton
          icon="download"
          label={t`Download as SVG`}
          onClick={() => saveFile(new Blob([drawing.svg], { type: 'image/svg+xml' }), 'diagram.svg')}
        />
        <CopyButton text={source} />
      </div>
      <section aria-label={t`Diagram`} tabIndex={0} className="overflow-x-auto">
        <img
          src={toImageAddress(drawing.svg)}
          alt={t`Diagram`}
          width={Math.ceil(drawing.width)}
          height={Math.ceil(drawing.height)}
          className="mx-auto h-auto max-w-full"
          style={{ minWidth: Math.min(drawing.width, SMALLEST) }}
        />
      </section>
    </figure>
  );
}
