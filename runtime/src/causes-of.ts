/**
 * An error and what caused it, outermost first: `fetch` tells what broke its connection that way. Of
 * several errors at once the first is followed. @param most how many, since causes may be a circle
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
