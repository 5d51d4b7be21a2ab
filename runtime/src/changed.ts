/** A record with what `changes` names; what they leave out, also as `undefined`, stays as it is. Pure. */
export const changed = <T extends object>(
  record: T,
  changes: { readonly [K in keyof T]?: T[K] | undefined },
): T => {
  const named = Object.entries(changes).filter(([, value]) => value !== undefined)
  return { ...record, ...Object.fromEntries(named) }
}
