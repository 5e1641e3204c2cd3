/** The places that runs which the queue did not start take away from those that it starts. */
export interface Occupancy {
  readonly count: number;
  /** Takes one place. Returns the function that gives it back, to be called once. */
  occupy(): () => void;
  /** Sets what is called after every change. */
  onChange(listener: () => void): void;
}

/** Creates an {@link Occupancy} without a place taken. */
export function createOccupancy(): Occupancy {
  let count = 0;
  let notify = (): void => undefined;

  function change(by: number): void {
    count += by;
    notify();
  }

  return {
    get count() {
      return count;
    },
    occupy() {
      change(1);
      return () => change(-1);
    },
    onChange(listener) {
      notify = listener;
    },
  };
}
