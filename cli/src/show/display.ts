import type { Context, Output } from '../terminal/context.ts'

/** What the output can display. */
export type Display = {
  readonly columns: number
  /** The room for tables, if it is not `columns`: in a pipe no table is cut. */
  readonly tableColumns?: number
  readonly hasColours: boolean
  /** Whether marks and bars may go beyond ASCII; texts are unchanged. */
  readonly isUtf8: boolean
}

export const displayOf = (
  { columns, hasColours, isTerminal }: Output,
  environment: Context['environment'],
): Display => ({
  columns,
  ...(isTerminal ? {} : { tableColumns: Number.POSITIVE_INFINITY }),
  hasColours,
  isUtf8: isUtf8Terminal(environment),
})

/**
 * Whether the locale is UTF-8, by its first variable that is set (POSIX 8.2), or this is Windows
 * Terminal, which has no such variables. A dumb terminal and the Linux console lack glyphs.
 */
export const isUtf8Terminal = (environment: Context['environment']): boolean => {
  const { TERM, LC_ALL, LC_CTYPE, LANG, WT_SESSION } = environment
  if (TERM === 'dumb' || TERM === 'linux') return false
  const locale = [LC_ALL, LC_CTYPE, LANG].find(Boolean) ?? ''
  return /utf-?8/i.test(locale) || WT_SESSION !== undefined
}
