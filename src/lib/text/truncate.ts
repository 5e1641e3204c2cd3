/** The first `most` characters of a text, with a mark where some are missing and no surrogate pair torn apart. */
export function truncate(text: string, most: number): string {
  if (text.length <= most) return text;
  const unit = text.charCodeAt(most - 2);
  const end = unit >= 0xd800 && unit < 0xdc00 ? most - 2 : most - 1;
  return `${text.slice(0, end)}…`;
}
