/** What a terminal shows after everything that was written to it. */
export type TerminalText = { write(text: string): void; text(): string }

/** Moves and erasures, other controls, ends of lines, and text. */
// oxlint-disable-next-line no-control-regex -- ESC begins every control
const pieces = /\u001B\[([\d;]*)([A-Z])|\u001B\[[^A-Za-z]*[A-Za-z]|\n|\r|[^\u001B\n\r]+/g

/** A terminal of many rows that moves its cursor and erases as ink asks it to; colours and modes change nothing. */
export const terminalText = (): TerminalText => {
  const rows: string[] = ['']
  let row = 0
  let column = 0
  const put = (text: string): void => {
    const line = (rows[row] ?? '').padEnd(column)
    rows[row] = line.slice(0, column) + text + line.slice(column + text.length)
    column += text.length
  }
  const goTo = (to: number): void => {
    row = Math.max(0, to)
    while (rows.length <= row) rows.push('')
  }
  const erase = (kind: string, part: string): void => {
    const line = rows[row] ?? ''
    if (kind === 'K') rows[row] = part === '2' ? '' : line.slice(0, column)
    else if (part === '2') rows.fill('')
    else if (part !== '3') {
      rows.length = row + 1
      rows[row] = line.slice(0, column)
    }
  }
  const control = (kind: string, given: string): void => {
    const [first = 1, second = 1] = given.split(';').map((one) => (one === '' ? 1 : Number(one)))
    if (kind === 'A') goTo(row - first)
    else if (kind === 'B') goTo(row + first)
    else if (kind === 'E') goTo(row + first)
    else if (kind === 'H') goTo(first - 1)
    else if (kind === 'K' || kind === 'J') erase(kind, given)
    if (kind === 'E') column = 0
    if (kind === 'G') column = first - 1
    if (kind === 'H') column = second - 1
  }
  return {
    write: (text) => {
      for (const [whole, given, kind] of text.matchAll(pieces)) {
        if (whole === '\n') goTo(row + 1)
        if (whole === '\n' || whole === '\r') column = 0
        else if (kind !== undefined) control(kind, given ?? '')
        else if (!whole.startsWith('\u001B')) put(whole)
      }
    },
    text: () => rows.map((line) => line.trimEnd()).join('\n'),
  }
}
