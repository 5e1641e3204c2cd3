import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { Dialog } from '../ui/dialog.tsx';
import { type Found, findPlaces } from './find.ts';
import { pages } from './pages.ts';
import { goTo, hrefTo } from './router.ts';

const isOpen = signal(false);

/** Opens the field that goes to any id, page or workflow. */
export function openPalette(): void {
  isOpen.value = true;
}

/** The field that goes to any id, page or workflow: Ctrl K. */
export function Palette() {
  useEffect(() => {
    const open = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        openPalette();
      }
    };
    document.addEventListener('keydown', open);
    return () => document.removeEventListener('keydown', open);
  }, []);
  return isOpen.value ? <OpenPalette /> : null;
}

function OpenPalette() {
  const [text, setText] = useState('');
  const [found, setFound] = useState<readonly Found[]>([]);
  const [chosen, setChosen] = useState(0);
  const pagesFound = pages
    .filter(({ title }) => title.toLowerCase().includes(text.trim().toLowerCase()))
    .map(({ name, title }): Found => ({ href: hrefTo([name]), label: title, kind: 'page' }));
  const all = [...found, ...pagesFound];
  const close = (): void => {
    isOpen.value = false;
  };
  const go = (entry: Found | undefined): void => {
    if (entry === undefined) return;
    close();
    goTo(entry.href);
  };
  useEffect(() => {
    let isCurrent = true;
    setChosen(0);
    setFound([]);
    if (text.trim() === '') return;
    const timer = setTimeout(async () => {
      const places = await findPlaces(text.trim());
      if (isCurrent) setFound(places);
    }, 150);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setChosen((chosen + step + all.length) % Math.max(1, all.length));
    }
    if (event.key === 'Enter') go(all[chosen]);
  };
  return (
    <Dialog title="Go to" onClose={close}>
      <input
        class="palette-text"
        type="text"
        role="combobox"
        aria-label="An id, a page or the name of a workflow"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={all[chosen] && `palette-${chosen}`}
        placeholder="An id, a page, the name of a workflow"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="palette-list" id="palette-list" role="listbox" aria-label="Places">
        {all.map((entry, index) => (
          // The field above has the keys of the list.
          <div
            key={entry.href}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => go(entry)}
            onKeyDown={onKeyDown}
          >
            <span>{entry.label}</span> <small>{entry.kind}</small>
          </div>
        ))}
        {all.length === 0 && <p class="faint">Nothing has this id or name.</p>}
      </div>
    </Dialog>
  );
}
