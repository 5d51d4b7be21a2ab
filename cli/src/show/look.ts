import type { Output, World } from '../terminal/world.ts'

/** How a text may look where it goes. */
export type Look = {
  readonly columns: number
  readonly hasColours: boolean
  /** Whether there are characters beyond ASCII for marks and bars; texts stay as they are. */
  readonly isUtf8: boolean
}

export const lookOf = (
  { columns, hasColours }: Output,
  environment: World['environment'],
): Look => ({ columns, hasColours, isUtf8: isUtf8Terminal(environment) })

/**
 * Whether the locale is UTF-8, by the first of its variables that is set (POSIX 8.2), or Windows
 * Terminal is there, which has no such variables. A dumb terminal and the Linux console lack glyphs.
 */
export const isUtf8Terminal = (environment: World['environment']): boolean => {
  const { TERM, LC_ALL, LC_CTYPE, LANG, WT_SESSION } = environment
  if (TERM === 'dumb' || TERM === 'linux') return false
  const locale = [LC_ALL, LC_CTYPE, LANG].find(Boolean) ?? ''
  return /utf-?8/i.test(locale) || WT_SESSION !== undefined
}
