import { type ComponentProps, Suspense } from 'react';
import { lazyPart } from '../parts/lazy-part.ts';

/** Loaded when the app has nothing else to do, so that it is there when the service is not. */
export const loadFailedPage = () => import('./failed-page.tsx');

const FailedPage = lazyPart(() => loadFailedPage().then((module) => module.FailedPage));
const MissingPage = lazyPart(() => loadFailedPage().then((module) => module.MissingPage));

/** The pages for what failed or is missing, which few people see. */
export const LateFailedPage = (props: Pick<ComponentProps<typeof FailedPage>, 'reset'>) => (
  <Suspense>
    <FailedPage {...props} />
  </Suspense>
);

export const LateMissingPage = () => (
  <Suspense>
    <MissingPage />
  </Suspense>
);
