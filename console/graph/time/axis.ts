/** A mark of a time axis. */
export interface Tick {
  /** Milliseconds from the start of the axis. */
  readonly at: number;
  readonly label: string;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Round distances from a second on; below they are 1, 2 and 5 times a power of ten, and above as many days. */
const roundSteps = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
];

/** The marks of an axis of so many milliseconds: round times from 0 on, at most `most` after it. */
export function ticksOf(milliseconds: number, most: number): readonly Tick[] {
  const length = Math.max(milliseconds, 0.001);
  const step = stepFor(length / Math.max(1, most));
  const count = Math.floor(length / step + 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => ({
    at: index * step,
    label: labelOf(index * step, step),
  }));
}

/** The smallest round distance that is not below `least`. */
function stepFor(least: number): number {
  if (least <= SECOND / 2) return decimalStep(least);
  return roundSteps.find((step) => step >= least) ?? decimalStep(least / DAY) * DAY;
}

function decimalStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5].find((one) => one * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** A time in its two largest units, as exact as the distance of the marks. */
function labelOf(at: number, step: number): string {
  if (at === 0) return '0';
  if (at < SECOND) return `${Number(at.toPrecision(6))} ms`;
  if (at < MINUTE) return `${Number((at / SECOND).toFixed(step < SECOND ? 3 : 0))} s`;
  if (at < HOUR) return join(at, [MINUTE, 'm'], [SECOND, 's']);
  if (at < 2 * DAY && step < DAY) return join(at, [HOUR, 'h'], [MINUTE, 'm']);
  return join(at, [DAY, 'd'], [HOUR, 'h']);
}

type Unit = readonly [milliseconds: number, name: string];

function join(at: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Number(((at % large) / small).toFixed(3));
  return `${Math.floor(at / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`;
}
