import { partitionOf, partitions } from '@probe-mesh/contracts/mesh/partition'
import { createRandom } from '../statistics.ts'

/**
 * Ids of checks by their partition. UUIDv7 as accounts make them over a year, random where those
 * are, and the same in every run.
 */
export const checkIdsByPartition = (count: number): string[][] => {
  const random = createRandom(7)
  const hex = (digits: number): string =>
    Math.floor(random() * 16 ** digits)
      .toString(16)
      .padStart(digits, '0')
  const byPartition: string[][] = partitions.map(() => [])
  for (let n = 0; n < count; n++) {
    const made = Math.floor(1_750_000_000_000 + random() * 31_536_000_000)
      .toString(16)
      .padStart(12, '0')
    const variant = (8 + Math.floor(random() * 4)).toString(16)
    const id = `${made.slice(0, 8)}-${made.slice(8)}-7${hex(3)}-${variant}${hex(3)}-${hex(6)}${hex(6)}`
    byPartition[partitionOf(id)]?.push(id)
  }
  return byPartition
}
