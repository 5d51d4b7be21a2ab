import { limits } from '../schema/limits.ts'
import { hash32 } from '../reading/slots.ts'

/** The partition of a check's readings, in [0, 16): all of a check is judged by one assessor. */
export const partitionOf = (checkId: string): number => hash32(checkId) % limits.partitions

/** The partition of a project's error events, in [0, 4): all of a project is stored by one persister. */
export const errorPartitionOf = (projectId: string): number =>
  hash32(projectId) % limits.errorPartitions

export const partitions: readonly number[] = Array.from({ length: limits.partitions }, (_, n) => n)

export const errorPartitions: readonly number[] = partitions.slice(0, limits.errorPartitions)
