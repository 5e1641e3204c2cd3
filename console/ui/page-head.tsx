import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Copy } from './copy.tsx';
import { CurlButton, type NamedCall } from './curl.tsx';

interface PageHeadProps {
  readonly title: string;
  /** The pages above this one. */
  readonly crumbs?: readonly { readonly label: string; readonly href: string }[];
  /** The id of the record that the page shows: titles have its ends alone. */
  readonly id?: string;
  /** The facts beside the title: a status, an age. */
  readonly facts?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** The requests that the page shows, for its curl. */
  readonly calls?: readonly NamedCall[];
}

/** The head of a page: where it is, its one `h1`, what can be done. */
export function PageHead({ title, crumbs = [], id, facts, actions, calls = [] }: PageHeadProps) {
  const names = [title, ...crumbs.map(({ label }) => label).toReversed(), 'Console'].join(' · ');
  useEffect(() => {
    document.title = names;
  }, [names]);
  return (
    <header class="page-head">
      {crumbs.length > 0 && (
        <nav class="crumbs" aria-label="Above this page">
          {crumbs.map(({ label, href }) => (
            <a key={href} href={href}>
              {label}
            </a>
          ))}
        </nav>
      )}
      <div class="page-head-row">
        <h1>{title}</h1>
        <div class="facts">
          {facts}
          {id && <Copy text={id} label="Copy id" />}
        </div>
        <div class="actions">
          {actions}
          {calls.length > 0 && <CurlButton calls={calls} />}
        </div>
      </div>
    </header>
  );
}
