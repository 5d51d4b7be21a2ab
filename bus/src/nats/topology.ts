import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  ReplayPolicy,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream'
import type { ConsumerConfig, JetStreamManager, StreamConfig } from '@nats-io/jetstream'
import { nanos } from '@nats-io/nats-core'
import { limits } from '@probe-mesh/contracts/schema/limits'
import {
  errorPartitions,
  partitions,
  presence,
  subjects,
} from '@probe-mesh/contracts/mesh/subjects'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { ConsumerName, ErrorsConsumerName } from '../port.ts'
import { ensureStream, isStreamThere } from './ensure-stream.ts'
import type { Declared } from './ensure-stream.ts'
import type { Link } from './link.ts'
import { systemDescription } from './system-mark.ts'

/**
 * Every stream, bucket and consumer of the mesh, and how a server is brought to hold them. Nothing
 * here needs more than NATS 2.10.
 */

/** What the stream of readings may hold before it refuses: as much as the in-process bus holds. */
export const readingsBytesMaxDefault = 1_536 * 1024 * 1024
/** The same of the stream of error events. */
export const errorsBytesMaxDefault = 512 * 1024 * 1024
/** Longer than ClickHouse may be away before somebody looks. */
const errorAgeMsMax = 7 * 86_400_000
const duplicateWindowMs = 120_000
/** An error event whose publication failed is counted as dropped under the same message id when NATS is back. */
const errorDuplicateWindowMs = 600_000
/** Delivered and not acknowledged, per partition: beyond, the server waits. */
const unacknowledgedMax = 100_000
/** Longer than any batch waits: the adapter itself finds what was delivered and never came. */
const redeliverAfterMs = 24 * 3_600_000
const assignmentsBytesMax = 256 * 1024 * 1024
const persistedBytesMax = 64 * 1024 * 1024
const presenceBytesMax = 16 * 1024 * 1024
/** Of one message, headers included; the server's own limit is the same by default. */
const messageBytesMax = 1024 * 1024
/** Less than any message has with its id. */
const closedBytesMax = 1

/** A stream in partitions: where its messages are, and who reads them. */
export type StreamPlace<Name extends string = string> = {
  stream: string
  partitions: readonly number[]
  consumerNames: readonly Name[]
  /** The subjects of one partition. */
  subjectOf(partition: number): string
  /** The region that may publish on a subject; absent where subjects have none. */
  regionOf?(subject: string): Region
}

/** Who published on a subject, as far as the server saw to it. */
export const publisherOf = (
  { regionOf }: Pick<StreamPlace, 'regionOf'>,
  subject: string,
): { region?: Region } => (regionOf === undefined ? {} : { region: regionOf(subject) })

export const readingsPlace: StreamPlace<ConsumerName> = {
  stream: subjects.readingsStream,
  partitions,
  consumerNames: ['ingest', 'assess'],
  // of every region
  subjectOf: (partition) => subjects.readings(partition, '*'),
  regionOf: (subject) => subject.slice(subject.lastIndexOf('.') + 1),
}

export const errorsPlace: StreamPlace<ErrorsConsumerName> = {
  stream: subjects.errorsStream,
  partitions: errorPartitions,
  consumerNames: ['persist'],
  subjectOf: subjects.errors,
}

export const durableName = (partition: number, name: string): string => `${name}-${partition}`

/** Of versions before 2026-11-22 08:00 UTC: they acknowledged all up to a message, which no server lets change. */
const formerDurableName = (partition: number, name: string): string => `${name}_${partition}`

/** The stream behind a bucket, and the subject of a key in it. */
export const bucketStream = (bucket: string): string => `KV_${bucket}`
export const bucketSubject = (bucket: string, key: string): string => `$KV.${bucket}.${key}`

/**
 * Kept until every consumer has acknowledged, within bytes and age; a full stream refuses, so that
 * whoever publishes knows what it cannot take.
 */
const interestStream = (
  name: string,
  subject: string,
  bytesMax: number,
  ageMsMax: number,
  duplicatesMs = duplicateWindowMs,
) =>
  ({
    name,
    subjects: [subject],
    storage: StorageType.File,
    retention: RetentionPolicy.Interest,
    discard: DiscardPolicy.New,
    max_bytes: bytesMax,
    max_age: nanos(ageMsMax),
    max_msg_size: messageBytesMax,
    duplicate_window: nanos(duplicatesMs),
    allow_direct: true,
    // Only its consumers let go of a message.
    deny_delete: true,
    deny_purge: true,
  }) satisfies Partial<StreamConfig>

export const readingsStream = (bytesMax: number) =>
  interestStream(subjects.readingsStream, 'mesh.readings.*.*', bytesMax, limits.readingAgeMsMax)

export const errorsStream = (bytesMax: number) =>
  interestStream(
    subjects.errorsStream,
    'mesh.errors.*',
    bytesMax,
    errorAgeMsMax,
    errorDuplicateWindowMs,
  )

export const streamConsumers = ({
  partitions: all,
  consumerNames,
  subjectOf,
}: StreamPlace): ConsumerConfig[] =>
  all.flatMap((partition) =>
    consumerNames.map((name) => ({
      durable_name: durableName(partition, name),
      filter_subject: subjectOf(partition),
      deliver_policy: DeliverPolicy.All,
      replay_policy: ReplayPolicy.Instant,
      // All up to one would cost the server a look at each message of the other partitions between.
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(redeliverAfterMs),
      max_deliver: -1,
      max_ack_pending: unacknowledgedMax,
      max_waiting: 512,
    })),
  )

export const formerNames = ({ partitions: all, consumerNames }: StreamPlace): string[] =>
  all.flatMap((partition) => consumerNames.map((name) => formerDurableName(partition, name)))

const bucket = (name: string, bytesMax: number, ttlMs: number) =>
  ({
    name: bucketStream(name),
    subjects: [bucketSubject(name, '>')],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.New,
    max_bytes: bytesMax,
    max_age: nanos(ttlMs),
    max_msgs_per_subject: 1,
    duplicate_window: nanos(ttlMs === 0 ? duplicateWindowMs : Math.min(ttlMs, duplicateWindowMs)),
    allow_direct: true,
    allow_rollup_hdrs: true,
    deny_delete: true,
  }) satisfies Partial<StreamConfig>

/** Marks of all private agents, whose keys name the agent: each of them adds no stream. */
export const privateMarks = bucket('persisted_private', persistedBytesMax, limits.readingAgeMsMax)

/** The buckets of one region. */
export const regionBuckets = (region: Region) => [
  bucket(subjects.assignments(region), assignmentsBytesMax, 0),
  // An agent that was away for longer than readings are taken has nothing left to let go of.
  bucket(subjects.persisted(region), persistedBytesMax, limits.readingAgeMsMax),
  bucket(subjects.presence(region), presenceBytesMax, presence.ttlMs),
]

/** How many servers of a cluster keep each message. Consumers have as many as their stream. */
export type Replicas = 1 | 3 | 5

export const declareConsumers = async (
  jsm: JetStreamManager,
  place: StreamPlace,
): Promise<void> => {
  for (const consumer of streamConsumers(place)) await jsm.consumers.add(place.stream, consumer)
}

/**
 * A stream kept by interest drops what comes before its consumers are there. So it begins closed,
 * taking no message of any size, and is opened once all its consumers are declared.
 */
const ensureConsumed = async (
  jsm: JetStreamManager,
  declared: Declared,
  place: StreamPlace,
): Promise<void> => {
  if (!(await isStreamThere(jsm, declared.name)))
    await ensureStream(jsm, { ...declared, max_msg_size: closedBytesMax })
  await declareConsumers(jsm, place)
  await ensureStream(jsm, declared)
}

/** Brings the server to what this file declares. Safe to run at any time, and by several at once. */
export const reconcileTopology = (
  link: Link,
  wanted: {
    regions: readonly Region[]
    readingsBytesMax: number
    errorsBytesMax: number
    replicas: Replicas | null
    system: string | null
  },
): Promise<void> =>
  link.attempt(async () => {
    const kept = <T extends Declared>(declared: T): Declared =>
      wanted.replicas === null ? declared : { ...declared, num_replicas: wanted.replicas }
    const { system } = wanted
    const readings = {
      ...readingsStream(wanted.readingsBytesMax),
      ...(system === null ? {} : { description: systemDescription(system) }),
    }
    await ensureConsumed(link.jsm, kept(readings), readingsPlace)
    await ensureConsumed(link.jsm, kept(errorsStream(wanted.errorsBytesMax)), errorsPlace)
    await ensureStream(link.jsm, kept(privateMarks))
    for (const region of wanted.regions) {
      for (const declared of regionBuckets(region)) await ensureStream(link.jsm, kept(declared))
    }
  })
