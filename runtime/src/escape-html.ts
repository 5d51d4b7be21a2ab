/** Text as it stands in HTML, between tags or inside a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A text of several lines, each line kept. */
export const escapeLines = (text: string): string =>
  escapeHtml(text).replaceAll(/\r\n|\r|\n/g, '<br>\n')
