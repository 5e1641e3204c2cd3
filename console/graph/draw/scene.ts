import type { Layout, NodeSize } from '../layout/layout.ts';
import type { Face } from './face.ts';

/**
 * All that is drawn of a graph, whatever draws it. The members of `faces` and of the corners of `layout` correspond.
 */
export interface Scene {
  readonly layout: Layout;
  readonly size: NodeSize;
  readonly faces: readonly Face[];
  /** The index of the node that is selected or holds the selected step; -1 for none. */
  readonly selected: number;
  /** The index of the node that the keyboard is at. */
  readonly active: number;
}
