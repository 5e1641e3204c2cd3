import type { Article } from './article.ts';
import { accountArticles } from './articles-account.ts';
import { generalArticles } from './articles-general.ts';
import { orderArticles } from './articles-orders.ts';

/** The help center of a generic shop. */
export const articles: readonly Article[] = [...orderArticles, ...accountArticles, ...generalArticles];
