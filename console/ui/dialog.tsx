import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Takes most of the window. */
  readonly wide?: boolean;
}

/**
 * A dialog over the page. Its first field has the focus. Escape and a click beside it close it; the focus then returns
 * to where it was.
 */
export function Dialog({ title, onClose, children, wide = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  // A dialog may open another one, such as that of its curl.
  const id = useId();
  // At once, so that what is typed next goes into the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const dialog = element.current;
    dialog?.showModal();
    // Where something is to be filled in, that comes before the button that closes.
    dialog?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    return () => {
      // Elements behind an open dialog cannot have the focus.
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    // A click beside the dialog closes it, as Escape does by itself.
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the key of a dialog.
    <dialog
      ref={element}
      class={wide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={id}
      onClose={({ currentTarget }) => currentTarget.isConnected && onClose()}
      onCancel={onClose}
      onClick={(event) => event.target === element.current && onClose()}
    >
      <div class="dialog-inner">
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
