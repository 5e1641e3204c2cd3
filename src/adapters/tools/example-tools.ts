import type { Tool } from '../../ports/tool.ts';
import { checkOrderStatus } from './check-order-status.ts';
import { refundPolicy } from './refund-policy.ts';
import { searchHelpCenter } from './search-help-center.ts';

/** The tools that the service comes with (decisions, section 5). They need no network and answer at once. */
export const exampleTools: readonly Tool[] = [refundPolicy, checkOrderStatus, searchHelpCenter];
