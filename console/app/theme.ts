import { effect, signal } from '@preact/signals';

/** The reader's choice; `system` follows the operating system. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'console.theme';

/** The theme of the console, kept by the browser. */
export const theme = signal<Theme>(stored());

function stored(): Theme {
  try {
    const value = globalThis.localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : 'system';
  } catch {
    return 'system';
  }
}

/** Applies the theme, now and when it changes. */
export function startTheme(): void {
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value;
    try {
      globalThis.localStorage.setItem(KEY, theme.value);
    } catch {
      // The browser keeps nothing: the choice holds for this page.
    }
  });
}
