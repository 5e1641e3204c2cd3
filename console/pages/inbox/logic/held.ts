/** A request that is sent later, so that the reader can take it back. */
export interface Held<Request> {
  readonly id: string;
  readonly request: Request;
  /** When it is sent, in milliseconds as the clock has them. */
  readonly sendsAt: number;
}

/**
 * The dependencies of the holder. `later` calls back after milliseconds, and returns the function that ends the wait.
 */
export interface HolderParts<Request> {
  readonly now: () => number;
  readonly later: (work: () => void, milliseconds: number) => () => void;
  /** Sends a request. It deals with refusals itself and never rejects; false says that it was refused. */
  readonly send: (held: Held<Request>) => Promise<boolean>;
  /** Sends a request while the page is being left. */
  readonly sendLeaving: (held: Held<Request>) => void;
  /** Told of what is held now; undefined when there is nothing. */
  readonly onChange: (held: Held<Request> | undefined) => void;
}

/** Holds one request at a time. */
export interface Holder<Request> {
  /** Holds a request; one that was held before is sent. */
  hold(id: string, request: Request, milliseconds: number): void;
  /** Takes back what is held, and returns it. */
  undo(): Held<Request> | undefined;
  /** Sends what is held now. Resolves to false when it was refused. */
  flush(): Promise<boolean>;
  /** Sends what is held because the page is being left. */
  leave(): void;
}

/** Creates a holder. Each request is sent once, or taken back. */
export function createHolder<Request>(parts: HolderParts<Request>): Holder<Request> {
  let held: Held<Request> | undefined;
  let stop = (): void => undefined;

  function take(): Held<Request> | undefined {
    const taken = held;
    stop();
    held = undefined;
    if (taken !== undefined) parts.onChange(undefined);
    return taken;
  }

  async function flush(): Promise<boolean> {
    const taken = take();
    return taken === undefined || parts.send(taken);
  }

  return {
    hold(id, request, milliseconds) {
      void flush();
      held = { id, request, sendsAt: parts.now() + milliseconds };
      stop = parts.later(() => void flush(), milliseconds);
      parts.onChange(held);
    },
    undo: take,
    flush,
    leave() {
      const taken = take();
      if (taken !== undefined) parts.sendLeaving(taken);
    },
  };
}
