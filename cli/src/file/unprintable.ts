/* eslint-disable no-control-regex */

/** What YAML 1.2 does not print (5.1), the byte order mark inside a text, and a lone carriage return. */
const characters =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufeff\ufffe\uffff\ud800-\udfff]|\r(?!\n)/gu

/** @returns every character that is refused as it is; in double quotes each has an escape */
export function* unprintable(text: string): Generator<{ at: number; message: string }, undefined> {
  for (const { 0: character, index } of text.matchAll(characters)) {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0')
    yield {
      at: index,
      message: `the character U+${code.toUpperCase()} is refused: write "\\u${code}" in double quotes`,
    }
  }
}
