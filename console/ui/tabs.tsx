import { hrefTo, place } from '../app/router.ts';

/** A view of a page. */
export interface Tab {
  readonly name: string;
  readonly label: string;
  readonly count?: number | undefined;
}

/** Links to the views of a page, kept in the URL as `view`. The first one is that without `view`. */
export function Tabs({
  tabs,
  current,
  label,
}: {
  readonly tabs: readonly Tab[];
  readonly current: string;
  readonly label: string;
}) {
  const { path, query } = place.value;
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab, index) => (
        <a
          key={tab.name}
          href={hrefTo(path, { ...Object.fromEntries(query), view: index === 0 ? null : tab.name })}
          aria-current={tab.name === current ? 'true' : undefined}
        >
          {tab.label}
          {tab.count !== undefined && <span class="count">{tab.count}</span>}
        </a>
      ))}
    </nav>
  );
}
