import { subjects } from '@probe-mesh/contracts/mesh/subjects'
import type { Errors } from '../port.ts'
import type { Link } from './link.ts'
import { createPartitionedStream } from './partitioned-stream.ts'
import { errorsPlace } from './topology.ts'

/** The stream of error events, on a subject for each partition. */
export const createErrors = (link: Link): Errors =>
  createPartitionedStream(link, errorsPlace, ({ partition }: { partition: number }) =>
    subjects.errors(partition),
  )
