/**
 * Calls `act` for each item, in their order and at most `atOnceMax` at a time. After an error none is started any more,
 * and the first error is thrown when those under way have ended.
 */
export const eachOf = async <Item>(
  items: Iterable<Item>,
  atOnceMax: number,
  act: (item: Item) => Promise<void>,
): Promise<void> => {
  const left = items[Symbol.iterator]()
  const failed: unknown[] = []
  const workOff = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true && failed.length === 0; next = left.next()) {
      await act(next.value).catch((error: unknown) => failed.push(error))
    }
  }
  await Promise.all(Array.from({ length: atOnceMax }, workOff))
  if (failed.length > 0) throw failed[0]
}
