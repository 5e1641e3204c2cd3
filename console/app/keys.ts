import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** A key and its action. Keys are named as `KeyboardEvent.key` has them; two in a row are written `g i`. */
export interface KeyAction {
  readonly key: string;
  /** The action in a few words, for the list of keys. */
  readonly label: string;
  readonly run: () => void;
}

/** The keys of one part of the page. */
interface KeyGroup {
  readonly title: string;
  readonly actions: () => readonly KeyAction[];
}

const groups = signal<readonly KeyGroup[]>([]);

/** All keys that work now, by part of the page, for the list that `?` shows. */
export function currentKeys(): readonly { readonly title: string; readonly actions: readonly KeyAction[] }[] {
  return groups.value.map(({ title, actions }) => ({ title, actions: actions() }));
}

/**
 * Makes keys work while the component is shown. They rest while the reader types, while a dialog is open, and with
 * Ctrl, Alt or Meta. Keys of a component that came later win.
 */
export function useKeys(title: string, actions: readonly KeyAction[]): void {
  const newest = useRef(actions);
  newest.current = actions;
  // Not after the next painting, so that a key works as soon as its page is seen.
  useLayoutEffect(() => {
    const group: KeyGroup = { title, actions: () => newest.current };
    groups.value = [...groups.value, group];
    return () => {
      groups.value = groups.value.filter((other) => other !== group);
    };
  }, [title]);
}

let prefix = '';
let prefixTimer: ReturnType<typeof setTimeout> | undefined;

/** Listens for keys, for as long as the page is open. */
export function startKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || isTyping(event)) return;
    const pressed = prefix === '' ? event.key : `${prefix} ${event.key}`;
    const actions = groups.value.flatMap(({ actions }) => actions()).reverse();
    const action = actions.find(({ key }) => key === pressed);
    clearTimeout(prefixTimer);
    prefix = '';
    if (action !== undefined) {
      event.preventDefault();
      return action.run();
    }
    if (actions.some(({ key }) => key.startsWith(`${event.key} `))) {
      prefix = event.key;
      prefixTimer = setTimeout(() => {
        prefix = '';
      }, 1_500);
    }
  });
}

/** True for a key that belongs to a field, to a dialog, or to a button that it would press. */
function isTyping(event: KeyboardEvent): boolean {
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  if (document.querySelector('dialog[open]') !== null) return true;
  if (target.isContentEditable || target.matches('input, textarea, select')) return true;
  return (event.key === 'Enter' || event.key === ' ') && target.matches('a, button, summary, [role="row"]');
}
