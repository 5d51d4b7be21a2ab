/**
 * How many of `count` partitions each of `holders` control planes may have: together all, and none
 * more than its share rounded up.
 */
export const fairShare = (count: number, holders: number): number =>
  Math.ceil(count / Math.max(1, holders))

/**
 * In which order a control plane tries to take partitions: each begins elsewhere, so that those that
 * start together do not ask for the same ones.
 * @param rank its place among the living ones, from 0
 */
export const takingOrder = (
  partitions: readonly number[],
  rank: number,
  holders: number,
): number[] => {
  const from = rank * fairShare(partitions.length, holders)
  return partitions.map((_, index) => partitions[(from + index) % partitions.length] ?? 0)
}
