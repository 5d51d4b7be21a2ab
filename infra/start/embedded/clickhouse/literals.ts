const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '`': '\\`',
  '\0': '\\0',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

const escape = (text: string): string =>
  text.replace(/[\\'`\0\n\r\t]/g, (char) => escapes[char] ?? char)

/** A ClickHouse string literal. */
export const literal = (text: string): string => `'${escape(text)}'`

/** A ClickHouse identifier, quoted. */
export const identifier = (name: string): string => `\`${escape(name)}\``
