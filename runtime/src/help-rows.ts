/** Width of a terminal. */
const columns = 100
/** A longer name gets a separate line. */
const nameMax = 30

/** Names and their meanings as two columns of a help text, wrapped to the width of a terminal. */
export const helpRows = (rows: readonly (readonly [name: string, meaning: string])[]): string => {
  const width = Math.max(0, ...rows.map(([{ length }]) => (length > nameMax ? 0 : length)))
  return rows
    .flatMap(([name, meaning]) => {
      const lines = wrap(meaning, columns - width - 4)
      const isLong = name.length > width
      return (isLong ? ['', ...lines] : lines).map((line, at) =>
        `  ${(at === 0 ? name : '').padEnd(width)}  ${line}`.trimEnd(),
      )
    })
    .join('\n')
}

const wrap = (text: string, width: number): string[] => {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`
    } else lines.push(word)
  }
  return lines
}
