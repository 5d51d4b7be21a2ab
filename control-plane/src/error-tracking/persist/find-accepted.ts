/**
 * As many of `items` as a store takes together, in their order: the whole is halved until what it
 * refuses stands alone. Where one is refused beside others only, the earlier ones stay.
 * @param takes whether the store takes all of these at once; some items ask it for few answers
 */
export const findAccepted = async <Item>(
  items: readonly Item[],
  takes: (items: readonly Item[]) => Promise<boolean>,
): Promise<Set<Item>> => {
  const withMore = async (taken: readonly Item[], more: readonly Item[]): Promise<readonly Item[]> => {
    if (more.length === 0) return taken
    const all = [...taken, ...more]
    if (await takes(all)) return all
    if (more.length === 1) return taken
    const half = Math.ceil(more.length / 2)
    return withMore(await withMore(taken, more.slice(0, half)), more.slice(half))
  }
  return new Set(await withMore([], items))
}
