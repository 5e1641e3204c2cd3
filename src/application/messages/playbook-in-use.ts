import type { Playbook } from '../../domain/playbook/playbook.ts';
import type { PlaybookPorts } from '../../ports/ports.ts';
import type { Tool } from '../../ports/tool.ts';
import type { PlaybookTools, ReplaceableTools, ToolSet } from '../tools/registry.ts';

/** All that decides about a message, from its start to its end. */
export interface InUse extends PlaybookPorts {
  readonly tools: ToolSet;
}

/** The playbook in use, with the stages and tools that belong to it. They are replaced together. */
export interface PlaybookInUse {
  /** The playbook now. */
  current(): Playbook;
  /** Does work by what is in use now, which a replacement does not reach. */
  hold<T>(work: (inUse: InUse) => Promise<T>): Promise<T>;
  /**
   * Uses another playbook from now on. `decide` gets its tools, as its messages will see them, and makes its ports.
   * Where it throws, or a tool cannot be registered, nothing changes.
   */
  replace(tools: PlaybookTools, decide: (tools: () => readonly Tool[]) => PlaybookPorts): void;
}

/** Creates a {@link PlaybookInUse}. */
export function createPlaybookInUse(
  { playbook, stages, makeTickets }: PlaybookPorts,
  tools: Pick<ReplaceableTools, 'hold' | 'replace'>,
): PlaybookInUse {
  let current: PlaybookPorts = { playbook, stages, makeTickets };
  return {
    current: () => current.playbook,
    hold(work) {
      const decided = current;
      return tools.hold((held) => work({ ...decided, tools: held }));
    },
    replace(given, decide) {
      tools.replace(given, (replaced) => {
        current = decide(() => replaced.list());
      });
    },
  };
}
