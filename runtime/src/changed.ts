/** A copy of a record with `changes` applied. Missing and `undefined` fields keep their value. */
export const changed = <T extends object>(
  record: T,
  changes: { readonly [K in keyof T]?: T[K] | undefined },
): T => {
  const named = Object.entries(changes).filter(([, value]) => value !== undefined)
  return { ...record, ...Object.fromEntries(named) }
}
