/** A step in the graph of a workflow or of a run. */
export interface GraphNode {
  readonly id: string;
  /** The column, from 0. */
  readonly layer: number;
  /** Its call, in a few words: `tool check_order_status`. */
  readonly detail: string;
  /** The status of a run's step; undefined in a definition. */
  readonly status?: string | undefined;
  /** A short text at its corner, such as `each` or `⚠ writes`. */
  readonly badge?: string | undefined;
  /**
   * Its kind of work, such as `tool`. Only steps of one kind fold into one node. The first word of `detail` when
   * absent.
   */
  readonly kind?: string | undefined;
}

/** A dependency: `to` runs after `from`. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
}

/** The properties of the graph. */
export interface GraphProps {
  /** The name of the whole graph, for screen readers. */
  readonly label: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
  /** Graphs of more steps than this fold their chains and wide layers; 60 when absent, `Infinity` for never. */
  readonly foldFrom?: number | undefined;
}

/** A part of the time of a step. Times are in milliseconds since the epoch. */
export interface WaterfallSpan {
  /**
   * The activity of the step, or its wait: for the end of earlier steps, a free place, an attempt at its work, the
   * pause before the next attempt, or something outside the run.
   */
  readonly kind: 'dependencies' | 'queued' | 'attempt' | 'backoff' | 'waiting';
  readonly from: number;
  /** Null while it goes on. */
  readonly to: number | null;
  /** Of an attempt: its number, from 1. */
  readonly attempt?: number | undefined;
  /** Of an attempt that has ended: how. It is lost where its process was. */
  readonly outcome?: 'completed' | 'failed' | 'cancelled' | 'lost' | undefined;
  /** Of a failed attempt: why. */
  readonly error?: string | undefined;
  /** Of a wait: what ends it, and when it ends by itself, in ISO 8601. */
  readonly waitsFor?: 'approval' | 'wait' | 'workflow' | 'recovery' | undefined;
  readonly until?: string | null | undefined;
}

/** A step of a run over time. */
export interface WaterfallRow {
  readonly id: string;
  readonly layer: number;
  readonly kind: string;
  readonly status: string;
  /** Its attempts, those before a retry of the run included. */
  readonly attempts: number;
  /** By time; empty for a step that was not started. */
  readonly spans: readonly WaterfallSpan[];
  /** The start of its first attempt or wait, and the end of the last; null where there is none yet. */
  readonly from: number | null;
  readonly to: number | null;
  /** True where the run would have ended earlier, had this step been faster. */
  readonly isCritical: boolean;
  /** Its output was copied from the run that this one reruns. */
  readonly isCopied: boolean;
  /** Of a step with many items: how many have ended. */
  readonly progress?: { readonly done: number; readonly failed: number; readonly total: number } | undefined;
}

/** The steps of a run over time, by layer. Times are in milliseconds since the epoch. */
export interface WaterfallData {
  readonly rows: readonly WaterfallRow[];
  readonly from: number;
  /** Null while the run goes on. */
  readonly to: number | null;
}

/** The properties of the waterfall. */
export interface WaterfallProps {
  /** The name of the whole, for screen readers. */
  readonly label: string;
  readonly data: WaterfallData;
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
}
