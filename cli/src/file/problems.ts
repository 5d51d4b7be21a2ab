import { shown, widthOf } from './display.ts'
import { lineStarts, withoutMark } from './place.ts'

/** What is wrong with a file, and where: both from 1, `path` as the API writes it or empty. */
export type Problem = { line: number; column: number; path: string; message: string }

/** How much of a line is shown, around the column. */
const charactersShown = 100

/**
 * The line before, the line, and a caret under the column. Tabs are two columns wide, characters
 * that a terminal would act on are shown as a mark, wide ones count as two.
 */
export const codeFrame = (text: string, problem: Problem): string => {
  const source = withoutMark(text)
  return frameOf(source, lineStarts(source), problem)
}

/** Every problem with its place and its frame, a blank line between them. */
export const formatProblems = (
  fileName: string,
  text: string,
  problems: readonly Problem[],
): string => {
  const source = withoutMark(text)
  const starts = lineStarts(source)
  return problems
    .map((problem) => {
      const { line, column, path, message } = problem
      const what = path === '' ? message : `${path}: ${message}`
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

/** What is shown of a line, and of that what stands before an offset; cuts are marked. */
const cut = (line: string, from: number, until = from): { text: string; lead: string } => {
  const [before, after] = [from > 0 ? '…' : '', line.length > from + charactersShown ? '…' : '']
  return {
    text:
      line.length <= from ? '' : before + shown(line.slice(from, from + charactersShown)) + after,
    lead: before + shown(line.slice(from, until)),
  }
}
