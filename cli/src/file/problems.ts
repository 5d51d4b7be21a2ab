import { lineStarts, withoutByteOrderMark } from './position.ts'
import { shown, widthOf } from './text-width.ts'

/**
 * A problem of a file and its position from 1; `path` as the API writes it, or empty; `code` if the API would refuse it.
 */
export type Problem = { line: number; column: number; path: string; code?: string; message: string }

/** The characters shown of a long line, around the column. */
const charactersShown = 100

/**
 * The line before, the line, and a caret under the column. Tabs take two columns, wide characters
 * two; terminal control characters are replaced by a mark.
 */
export const codeFrame = (text: string, problem: Problem): string => {
  const source = withoutByteOrderMark(text)
  return frameOf(source, lineStarts(source), problem)
}

/** Every problem with its position and frame, separated by blank lines. */
export const formatProblems = (fileName: string, text: string, problems: readonly Problem[]): string => {
  const source = withoutByteOrderMark(text)
  const starts = lineStarts(source)
  return problems
    .map((problem) => {
      const { line, column, path, code, message } = problem
      const what = [path, code ?? '', message].filter(Boolean).join(': ')
      return `${shown(`${fileName}:${line}:${column}: ${what}`)}\n${frameOf(source, starts, problem)}\n`
    })
    .join('\n')
}

const frameOf = (source: string, starts: readonly number[], { line, column }: Problem): string => {
  const from = Math.max(0, column - 1 - charactersShown / 2)
  const gutter = String(line).length
  const row = (number: number): string => {
    const { text } = cut(lineAt(source, starts, number), from)
    return `${number === line ? '>' : ' '} ${String(number).padStart(gutter)} | ${text}`.trimEnd()
  }
  const { lead } = cut(lineAt(source, starts, line), from, column - 1)
  const caret = `${' '.repeat(gutter + 2)} | ${' '.repeat(widthOf(lead))}^`
  return [...(line > 1 ? [row(line - 1)] : []), row(line), caret].join('\n')
}

const lineAt = (source: string, starts: readonly number[], line: number): string =>
  source.slice(starts[line - 1], starts[line]).replace(/\r?\n$/, '')

/** The visible part of a line, and of the text before an offset; cuts are marked. */
const cut = (line: string, from: number, until = from): { text: string; lead: string } => {
  const [before, after] = [from > 0 ? '…' : '', line.length > from + charactersShown ? '…' : '']
  return {
    text: line.length <= from ? '' : before + shown(line.slice(from, from + charactersShown)) + after,
    lead: before + shown(line.slice(from, until)),
  }
}
