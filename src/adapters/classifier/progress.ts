/** A terminal to draw on, such as `process.stderr`. */
export interface Terminal {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

const WIDTH = 30;

/** Draws a progress bar on a terminal, and nothing elsewhere. `end` removes it. */
export function createProgress(terminal: Terminal): {
  readonly show: (share: number) => void;
  readonly end: () => void;
} {
  let shown = '';
  const draw = (text: string): void => {
    if (terminal.isTTY !== true || text === shown) return;
    terminal.write(`\r\u001b[K${text}`);
    shown = text;
  };
  return {
    show(share) {
      const filled = Math.round(share * WIDTH);
      const percent = String(Math.floor(share * 100)).padStart(3);
      draw(`training [${'#'.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${percent} %`);
    },
    end: () => draw(''),
  };
}
