/**
 * What programs warned of, each message and its error with how often: in a bench nothing should go wrong that it
 * did not do itself, and a wait for a lost answer explains a figure.
 * @param text lines of JSON as pino writes them; others are passed over
 */
export const warningsIn = (text: string): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const line of text.split('\n')) {
    const message = messageOf(line)
    if (message !== null) counts.set(message, (counts.get(message) ?? 0) + 1)
  }
  return counts
}

/** Pino's number of a warning; errors are above. */
const warningLevel = 40

const messageOf = (line: string): string | null => {
  if (!line.startsWith('{')) return null
  try {
    const entry: unknown = JSON.parse(line)
    if (typeof entry !== 'object' || entry === null) return null
    const message: unknown = Reflect.get(entry, 'msg')
    const isWarning = Number(Reflect.get(entry, 'level')) >= warningLevel
    if (!isWarning || typeof message !== 'string') return null
    const error: unknown = Reflect.get(entry, 'err')
    const reason: unknown =
      typeof error === 'object' && error !== null ? Reflect.get(error, 'message') : undefined
    return typeof reason === 'string' ? `${message} (${reason})` : message
  } catch {
    // the last line of a process that was killed
    return null
  }
}
