/**
 * The items that a database accepts together, in order. Bisects until each rejected item is isolated. Of
 * items that are rejected only together, the earlier ones stay.
 * @param accepts whether the database accepts all of these at once; a few rejected items need few calls
 */
export const findAccepted = async <Item>(
  items: readonly Item[],
  accepts: (items: readonly Item[]) => Promise<boolean>,
): Promise<Set<Item>> => {
  const extend = async (accepted: readonly Item[], more: readonly Item[]): Promise<readonly Item[]> => {
    if (more.length === 0) return accepted
    const all = [...accepted, ...more]
    if (await accepts(all)) return all
    if (more.length === 1) return accepted
    const half = Math.ceil(more.length / 2)
    return extend(await extend(accepted, more.slice(0, half)), more.slice(half))
  }
  return new Set(await extend([], items))
}
