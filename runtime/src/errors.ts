/**
 * An error and its causes, outermost first. `fetch` reports a broken connection as a cause. Follows the first
 * error of an `AggregateError`. @param most a bound, since causes may form a cycle
 */
export const causesOf = (error: unknown, most: number): Error[] => {
  const causes: Error[] = []
  let at = error
  while (at instanceof Error && causes.length < most) {
    causes.push(at)
    at = at instanceof AggregateError ? at.errors[0] : at.cause
  }
  return causes
}

/** The code of an error of Node, a driver or a server; empty without one. */
export const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : ''

/** The message of an error, or another thrown value as text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
