import type { ComponentProps } from 'react';

/** A form whose fields the browser checks, and which the page sends itself. */
export function Form({
  onSubmit,
  className = 'flex flex-col gap-4',
  ...rest
}: Omit<ComponentProps<'form'>, 'onSubmit'> & { readonly onSubmit: () => void }) {
  return (
    <form
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      {...rest}
    />
  );
}
