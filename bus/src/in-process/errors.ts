import { errorPartitions } from '@probe-mesh/contracts/mesh/subjects'
import type { Errors } from '../port.ts'
import { openPartitionedStream } from './partitioned-stream.ts'

/** What one partition may hold on disk before it refuses: 512 MiB for the whole stream. */
const partitionBytesMax = 128 * 1024 * 1024

/** The stream of error events. */
export const openErrors = (
  directory: string,
  now: () => number,
): Errors & { close(): Promise<void> } =>
  openPartitionedStream({
    directory,
    partitions: errorPartitions,
    consumerNames: ['persist'],
    partitionBytesMax,
    now,
  })
