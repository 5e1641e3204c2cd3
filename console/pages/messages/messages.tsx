import type { PageProps } from '../../app/place.ts';
import { ConversationView } from './conversation.tsx';
import { MessageList } from './list.tsx';
import { MessageView } from './message.tsx';
import { Try } from './try/try.tsx';
import './messages.css';

/** Messages: what customers wrote, what became of it and why, and a place to try one. */
export default function Messages({ path: [id], query }: PageProps) {
  const conversation = query.get('conversation');
  if (id !== undefined) return <MessageView id={id} query={query} />;
  if (query.get('view') === 'try') return <Try query={query} />;
  if (conversation) return <ConversationView id={conversation} />;
  return <MessageList query={query} />;
}
