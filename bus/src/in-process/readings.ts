import { partitions } from '@probe-mesh/contracts/mesh/subjects'
import type { Readings } from '../port.ts'
import { openPartitionedStream } from './partitioned-stream.ts'

/** What one partition may hold on disk before it refuses: 1.5 GiB for the whole stream. */
const partitionBytesMax = 96 * 1024 * 1024

/** The stream of readings. One that is held twice after a restart is dropped as a twin by ingest. */
export const openReadings = (
  directory: string,
  now: () => number,
): Readings & { close(): Promise<void> } =>
  openPartitionedStream({
    directory,
    partitions,
    consumerNames: ['ingest', 'assess'],
    partitionBytesMax,
    now,
  })
