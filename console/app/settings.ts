import { signal } from '@preact/signals';
import { apiBase } from '../api/client.ts';
import { say } from './messages.tsx';

/** The settings with which this console was opened. */
export interface ConsoleSettings {
  /** True where the local proxy refuses everything that changes something. */
  readonly read_only: boolean;
  /** The address of the service behind the local proxy; null when the service itself serves the console. */
  readonly upstream: string | null;
}

/** The settings of this console: `settings.json` beside the page. */
export const settings = signal<ConsoleSettings>({ read_only: false, upstream: null });

/** True where changes are allowed; says so where they are not. */
export function mayChange(): boolean {
  if (settings.value.read_only) say('The console is read-only.', { tone: 'bad' });
  return !settings.value.read_only;
}

/** The attributes of each button that changes something: in a read-only console it is disabled, and says so. */
export const changing = (
  isOff = false,
): { readonly disabled: boolean; readonly title: string | undefined } => ({
  disabled: isOff || settings.value.read_only,
  title: settings.value.read_only ? 'The console is read-only' : undefined,
});

/** The answer of `GET /system` at the start; undefined before it. */
export const system = signal<System | undefined>(undefined);

/** The part of `GET /system` that every page needs. */
export interface System {
  readonly version: string;
  /** When the process started, in ISO 8601. */
  readonly started_at: string;
  readonly notice: string | null;
}

/** Reads both. A service that does not serve them leaves what holds without them. */
export async function loadSettings(): Promise<void> {
  await Promise.allSettled([
    fetch(new URL('settings.json', document.baseURI)).then(async (response) => {
      if (response.ok) settings.value = await response.json();
    }),
    fetch(new URL('system', apiBase)).then(async (response) => {
      if (response.ok) system.value = await response.json();
    }),
  ]);
}
