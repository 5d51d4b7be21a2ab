import type { Context } from './context.ts'

type Environment = Context['environment']

/**
 * Whether the user asked for colours, or against them; null: the terminal decides. `NO_COLOR` counts if it is not
 * empty (no-color.org) and is stronger than `FORCE_COLOR`, which logs of builds use to have colours in a pipe.
 */
export const wantsColours = (environment: Environment): boolean | null => {
  if (environment['NO_COLOR']) return false
  const forced = environment['FORCE_COLOR'] ?? environment['CLICOLOR_FORCE']
  if (forced === undefined) return null
  return forced !== '0' && forced !== 'false'
}

const columnsMin = 20
const columnsMax = 10_000

/** The width that `COLUMNS` gives, or null. */
export const givenColumns = (environment: Environment): number | null => {
  const given = environment['COLUMNS'] ?? ''
  if (!/^\d{1,6}$/.test(given)) return null
  const columns = Number(given)
  return columns >= columnsMin && columns <= columnsMax ? columns : null
}
