import type { Tool } from '../../ports/tool.ts';
import { checkOrderStatus } from './check-order-status.ts';
import { refundPolicy } from './refund-policy.ts';
import { searchHelpCenter } from './search-help-center.ts';

/** The example tools (decisions, section 5). They use no network. */
export const exampleTools: readonly Tool[] = [refundPolicy, checkOrderStatus, searchHelpCenter];
