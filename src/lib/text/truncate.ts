/** Truncates a text to `maxLength` characters, the last one an ellipsis, without splitting a surrogate pair. */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const unit = text.charCodeAt(maxLength - 2);
  const end = unit >= 0xd800 && unit < 0xdc00 ? maxLength - 2 : maxLength - 1;
  return `${text.slice(0, end)}…`;
}
