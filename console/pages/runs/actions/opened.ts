import type { Wait } from '../logic/reads.ts';

/** The dialog that is open. */
export type Opened =
  | { readonly kind: 'cancel' | 'retry' | 'delete' | 'compare' }
  | { readonly kind: 'rerun'; readonly fromStep: string | undefined }
  | { readonly kind: 'approved' | 'rejected' | 'resolve'; readonly wait: Wait }
  | undefined;
