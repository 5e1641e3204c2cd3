import { signal } from '@preact/signals';

/** A short message at the edge of the page. */
export interface Message {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad' | 'plain';
  /** Takes back what the message tells of. */
  readonly undo?: (() => void) | undefined;
}

const shown = signal<readonly Message[]>([]);
let lastId = 0;

/** Shows a message for some seconds. Returns what removes it earlier. */
export function say(
  text: string,
  { tone = 'plain', undo, ms = 6_000 }: { tone?: Message['tone']; undo?: () => void; ms?: number } = {},
): () => void {
  const id = ++lastId;
  const remove = (): void => {
    shown.value = shown.value.filter((message) => message.id !== id);
  };
  shown.value = [...shown.value.slice(-3), { id, text, tone, undo }];
  setTimeout(remove, ms);
  return remove;
}

/** The messages of now. */
export function Messages() {
  return (
    <div class="messages" role="status" aria-live="polite">
      {shown.value.map(({ id, text, tone, undo }) => (
        <div key={id} class={`message message-${tone}`}>
          <span>{text}</span>
          {undo && (
            <button type="button" class="link" onClick={undo}>
              Undo
            </button>
          )}
        </div>
      ))}
    </div>
  );
}

const announced = signal('');
let announcedAt = Number.NEGATIVE_INFINITY;
let waiting: ReturnType<typeof setTimeout> | undefined;

/** Milliseconds between two announcements of things that change by themselves. */
const ANNOUNCE_MS = 5_000;

/** Tells screen readers of a change. The newest text is told, at most once in five seconds. */
export function announce(text: string): void {
  clearTimeout(waiting);
  waiting = setTimeout(
    () => {
      announcedAt = performance.now();
      announced.value = text;
    },
    Math.max(0, announcedAt + ANNOUNCE_MS - performance.now()),
  );
}

/** Where announcements stand, for screen readers only. */
export function Announcer() {
  return (
    <div class="only-read" aria-live="polite">
      {announced.value}
    </div>
  );
}
