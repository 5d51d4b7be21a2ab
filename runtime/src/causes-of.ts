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
