/** The most stored characters of a line, because a generated source can be a single line. */
const lineCharactersMax = 300
/** The index has the start of every 256th line. All lines would need as much memory as the source. */
const stride = 256

export type SourceLines = {
  /** The position of a line; null beyond the last line. @param line from 1 */
  startOf(line: number): number | null
  /** A line with `count` lines before and after it, each truncated. */
  around(line: number, count: number): { line: string; before: string[]; after: string[] } | null
}

/** An index of the lines of a text, so that lookups do not start at its beginning. */
export const createSourceLines = (text: string): SourceLines => {
  const starts: number[] = [0]
  for (let at = text.indexOf('\n'), line = 2; at !== -1; at = text.indexOf('\n', at + 1), line++) {
    if ((line - 1) % stride === 0) starts.push(at + 1)
  }
  const startOf = (line: number): number | null => {
    const known = Math.floor((line - 1) / stride)
    let start = starts[known]
    if (start === undefined) return null
    for (let number = known * stride + 1; number < line; number++) {
      const end = text.indexOf('\n', start)
      if (end === -1) return null
      start = end + 1
    }
    return start
  }
  const around = (line: number, count: number) => {
    const first = Math.max(1, line - count)
    const lines: string[] = []
    let start = startOf(first)
    for (let number = first; number <= line + count && start !== null; number++) {
      const end = text.indexOf('\n', start)
      const stop = end === -1 ? text.length : end
      lines.push(text.slice(start, Math.min(stop, start + lineCharactersMax)).replace(/\r$/, ''))
      start = end === -1 ? null : end + 1
    }
    const itself = lines[line - first]
    if (itself === undefined) return null
    return {
      line: itself,
      before: lines.slice(0, line - first),
      after: lines.slice(line - first + 1),
    }
  }
  return { startOf, around }
}
