import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useErrorBoundary, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { openItems } from '../api/inbox-count.ts';
import { liveState } from '../api/live.ts';
import { PageHead } from '../ui/page-head.tsx';
import { Notice } from '../ui/states.tsx';
import { KeyList } from './key-list.tsx';
import { useKeys } from './keys.ts';
import { Announcer, Messages } from './messages.tsx';
import { type PageEntry, pages } from './pages.ts';
import { openPalette, Palette } from './palette.tsx';
import type { PageProps, Place } from './place.ts';
import { goTo, hrefTo, place } from './router.ts';
import { settings, system } from './settings.ts';
import { type Theme, theme } from './theme.ts';

/** The frame of all pages: the menu, the bar at the top, and the page that the URL names. */
export function Shell() {
  const { path } = place.value;
  const [name = 'overview'] = path;
  const page = pages.find((entry) => entry.name === name);
  const [showsKeys, setShowsKeys] = useState(false);
  useKeys('Everywhere', [
    { key: '?', label: 'list the keys', run: () => setShowsKeys(true) },
    { key: '/', label: 'go to an id, a page or a workflow (also Ctrl K)', run: openPalette },
    ...pages.map(({ name, title, key }) => ({
      key: `g ${key}`,
      label: title,
      run: () => goTo(hrefTo([name])),
    })),
  ]);
  useFocus(path.join('/'));

  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the page
      </button>
      <Banners />
      <div class="shell">
        <Menu current={name} />
        <div class="shell-page">
          <Bar onKeys={() => setShowsKeys(true)} />
          <main id="main" tabIndex={-1}>
            {page === undefined ? (
              <>
                <PageHead title="Nothing here" />
                <Notice>
                  There is no page at this address. The <a href="#/overview">overview</a> is a good start.
                </Notice>
              </>
            ) : (
              <Guard key={page.name} title={page.title}>
                <Page page={page} />
              </Guard>
            )}
          </main>
        </div>
      </div>
      <Palette />
      {showsKeys && <KeyList onClose={() => setShowsKeys(false)} />}
      <Messages />
      <Announcer />
    </>
  );
}

/**
 * Gives the focus to the head of a page that was gone to, and to that of the page whose part with the focus has gone.
 */
function useFocus(page: string): void {
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    if (!isFirst.current) focusHead();
    isFirst.current = false;
  }, [page]);
  useEffect(() => {
    let last: EventTarget | null = null;
    document.addEventListener('focusin', ({ target }) => {
      last = target;
    });
    new MutationObserver(() => {
      if (!(last instanceof Element) || last.isConnected || document.activeElement !== document.body) return;
      last = null;
      focusHead();
    }).observe(document.body, { childList: true, subtree: true });
  }, []);
}

function focusHead(): void {
  const head = document.querySelector('h1');
  // A reader who types, or has opened a dialog already, goes on.
  if (head === null || document.activeElement?.closest('dialog, input, select, textarea')) return;
  head.tabIndex = -1;
  head.focus({ preventScroll: true });
}

function Banners() {
  const notice = system.value?.notice;
  const isReadOnly = settings.value.read_only;
  if (!notice && !isReadOnly) return null;
  return (
    <aside aria-label="About this service">
      {notice && <p class="banner">{notice}</p>}
      {isReadOnly && <p class="banner">Read only: nothing can be changed from here.</p>}
    </aside>
  );
}

function Menu({ current }: { readonly current: string }) {
  const list = useRef<HTMLUListElement>(null);
  // Where the menu is one line that moves sideways, the current page is in sight.
  useEffect(() => {
    const link = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (list.current && link) list.current.scrollLeft = link.offsetLeft - list.current.offsetLeft - 48;
  }, [current]);
  return (
    <nav class="menu" aria-label="Pages">
      <a class="menu-name" href="#/overview">
        <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
          <rect class="menu-mark" width="32" height="32" rx="7" />
          <path class="menu-lines" d="M12 10l8 5M12 22l8-5" />
          <circle class="menu-lines" cx="9" cy="9" r="3" />
          <circle class="menu-lines" cx="23" cy="16" r="3" />
          <circle class="menu-lines" cx="9" cy="23" r="3" />
        </svg>
        <span>orchestration</span>
      </a>
      <ul ref={list}>
        {pages.map(({ name, title }) => (
          <li key={name}>
            <MenuLink name={name} title={title} isCurrent={name === current} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface MenuLinkProps {
  readonly name: string;
  readonly title: string;
  readonly isCurrent: boolean;
}

/** The link to a page. That to the inbox says how many items are open. */
function MenuLink({ name, title, isCurrent }: MenuLinkProps) {
  const count = name === 'inbox' ? (openItems.value ?? 0) : 0;
  return (
    <a href={`#/${name}`} aria-current={isCurrent ? 'page' : undefined}>
      {title}
      {count > 0 && (
        <span class="tag tone-warn">
          {count > 999 ? '999+' : count} <span class="only-read">open</span>
        </span>
      )}
    </a>
  );
}

const liveWords = {
  connecting: 'connecting',
  live: 'live',
  polling: 'every 5 s',
  away: 'not reachable',
} as const;
const themeWords = { system: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' } as const;
const nextTheme: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };

function Bar({ onKeys }: { readonly onKeys: () => void }) {
  return (
    <header class="bar">
      <button type="button" class="bar-search" onClick={openPalette}>
        <span>Go to an id, a page, a workflow</span> <kbd>Ctrl K</kbd>
      </button>
      <span class={`live live-${liveState.value}`} title="How changes arrive">
        <span aria-hidden="true">{liveState.value === 'live' ? '●' : '○'}</span> {liveWords[liveState.value]}
      </span>
      <button
        type="button"
        class="quiet"
        onClick={() => {
          theme.value = nextTheme[theme.value];
        }}
      >
        {themeWords[theme.value]}
      </button>
      <button type="button" class="quiet bar-keys" onClick={onKeys}>
        Keys <kbd>?</kbd>
      </button>
    </header>
  );
}

/** Its content; or, where that cannot be shown, a notice, until the reader goes elsewhere. */
function Guard({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  const here = place.value;
  const failedAt = useRef<Place | undefined>(undefined);
  const [error] = useErrorBoundary(() => {
    failedAt.current = here;
  });
  if (failedAt.current !== here) return children;
  return (
    <>
      <h1>{title}</h1>
      <Notice tone="bad">This page could not be shown: {error instanceof Error && error.message}</Notice>
    </>
  );
}

/** Loads a page, and shows it. */
function Page({ page }: { readonly page: PageEntry }) {
  const [loaded, setLoaded] = useState<ComponentType<PageProps> | 'failed'>();
  useEffect(() => {
    let isCurrent = true;
    page.load().then(
      (found) => isCurrent && setLoaded(() => found),
      () => isCurrent && setLoaded('failed'),
    );
    return () => {
      isCurrent = false;
    };
  }, [page]);
  if (loaded === undefined) return <h1 class="only-read">{page.title}</h1>;
  if (loaded === 'failed') throw new Error('reload it when the service is reachable');
  const Loaded = loaded;
  const { path, query } = place.value;
  return <Loaded path={path.slice(1)} query={query} />;
}
