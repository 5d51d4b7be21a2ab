import type { Region } from '@probe-mesh/contracts/reading/regions'
import { subjects } from '@probe-mesh/contracts/mesh/subjects'
import type { Readings } from '../port.ts'
import type { Link } from './link.ts'
import { createPartitionedStream } from './partitioned-stream.ts'
import { readingsPlace } from './topology.ts'

/** The stream of readings, on a subject for each partition and region. */
export const createReadings = (link: Link): Readings =>
  createPartitionedStream(
    link,
    readingsPlace,
    ({ partition, region }: { partition: number; region: Region }) =>
      subjects.readings(partition, region),
  )
