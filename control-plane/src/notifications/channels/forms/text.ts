import { createHash } from 'node:crypto'
import type { ChannelMessage } from './message.ts'

const isWholeText = (text: string): string => text

/**
 * The start of a text that fits into a limit after it was escaped, with an ellipsis when it was cut. Never cuts
 * an escape or a character in two.
 * @param escape of one character
 */
export const fit = (
  text: string,
  charactersMax: number,
  escape: (character: string) => string = isWholeText,
): string => {
  let fitting = ''
  let cut = ''
  for (const character of text.toWellFormed()) {
    const escaped = escape(character)
    // one place is kept for the ellipsis
    if (fitting.length + escaped.length > charactersMax) return `${cut}…`
    fitting += escaped
    if (fitting.length < charactersMax) cut = fitting
  }
  return fitting
}

/** As `fit`, for receivers that count the bytes of UTF-8. */
export const fitBytes = (text: string, bytesMax: number): string => {
  const whole = text.toWellFormed()
  if (Buffer.byteLength(whole) <= bytesMax) return whole
  // a replacement character marks a character that was cut in two
  const start = Buffer.from(whole)
    .subarray(0, bytesMax - 3)
    .toString('utf8')
  return `${start.replace(/\uFFFD{1,3}$/, '')}…`
}

/** For texts in HTML, and in Slack's format: nothing starts a tag, a link or a mention. */
export const escapeAngles = (text: string): string => text.replace(/[&<>]/g, (each) => entities[each] ?? each)

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** The key of an alert within the limit of a receiver: the same for its reminders and its recovery. */
export const keyWithin = (key: string, charactersMax: number): string =>
  key.length <= charactersMax ? key : createHash('sha256').update(key).digest('hex')

/** A text that must not be empty. */
export const orTitle = (text: string, { title }: Pick<ChannelMessage, 'title'>): string =>
  text.trim() === '' ? title : text

/** The facts as lines, for receivers without fields. */
export const factLines = ({ facts }: Pick<ChannelMessage, 'facts'>): string =>
  facts.map(({ name, value }) => `${name}: ${value}`).join('\n')
