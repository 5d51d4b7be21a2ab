import { limits } from './limits.ts'
import { hash32 } from './slots.ts'

/** The partition of a check's readings, in [0, 16): all of a check is judged by one assessor. */
export const partitionOf = (checkId: string): number => hash32(checkId) % limits.partitions

export const partitions: readonly number[] = Array.from({ length: limits.partitions }, (_, n) => n)
