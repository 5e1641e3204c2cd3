/** The work of a process for one sample. */
export interface LoopWork {
  /** The name of what it runs. */
  readonly workload: string;
  /** Runs under way at any time. */
  readonly inFlight: number;
  /** Milliseconds for which runs are started. Those under way then are not stopped. */
  readonly ms: number;
}

/** Begins a sample, or, without work, asks for the one that was begun. */
export interface LoopRequest {
  readonly work?: LoopWork;
}

/** The answer to every {@link LoopRequest}: the sample until now. */
export interface LoopReply {
  /** Runs that ended in this process. */
  readonly runs: number;
  /**
   * Runs that this process has started at any time, less those that ended in it: of several processes the sum counts.
   */
  readonly open: number;
  /** When the sample began, and when its last run ended, in milliseconds since 1970. */
  readonly beganAt: number;
  readonly endedAt: number;
  /** CPU time of this process in milliseconds. */
  readonly cpuMs: number;
}

/**
 * Answers the requests of the parent process. A sample starts `inFlight` runs, and another one for each that ends in
 * this process. `start` starts a run in the background. Returns the function to be called for each that ended.
 */
export function serveLoop(start: (workload: string) => Promise<unknown>): () => void {
  let open = 0;
  let runs = 0;
  let beganAt = 0;
  let endedAt = 0;
  let cpuBefore = process.cpuUsage();
  let workload: string | undefined;

  function startOne(name: string): void {
    open += 1;
    // A rejection ends the process, which the parent reports.
    void start(name);
  }

  function begin(work: LoopWork): void {
    workload = work.workload;
    runs = 0;
    beganAt = now();
    cpuBefore = process.cpuUsage();
    for (let run = 0; run < work.inFlight; run++) startOne(workload);
    setTimeout(() => (workload = undefined), work.ms);
  }

  process.on('message', ({ work }: LoopRequest) => {
    if (work !== undefined) begin(work);
    const { user, system } = process.cpuUsage(cpuBefore);
    const reply: LoopReply = { runs, open, beganAt, endedAt, cpuMs: (user + system) / 1_000 };
    process.send?.(reply);
  });
  process.once('disconnect', () => process.exit());
  // The first message says that the process is ready.
  process.send?.('ready');

  return () => {
    open -= 1;
    runs += 1;
    endedAt = now();
    if (workload !== undefined) startOne(workload);
  };
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
