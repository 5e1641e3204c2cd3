import type { ComponentChildren } from 'preact';
import { setQuery } from '../../../app/router.ts';

/** A part of the inspector. */ export function Part({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="runs-part">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** A button that goes to another step of the same run. */
export function StepLink({ id }: { readonly id: string }) {
  return (
    <button type="button" class="link mono" onClick={() => setQuery({ step: id })}>
      {id}
    </button>
  );
}
