import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  ReplayPolicy,
  RetentionPolicy,
  StorageType,
  type ConsumerConfig,
  type JetStreamManager,
  type StreamConfig,
} from '@nats-io/jetstream'
import { nanos } from '@nats-io/nats-core'
import { errorPartitions, partitions, presence, subjects } from '@probe-mesh/contracts/mesh/subjects'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { ConsumerName, ErrorsConsumerName, ConsumerCare } from '../port.ts'
import { ensureStream, isStreamThere, ifThere, type Declared } from './ensure-stream.ts'
import type { Link } from './link.ts'
import { systemDescription } from './system-mark.ts'

/**
 * Every stream, bucket and consumer of the mesh, and how they are created on a server. Nothing here needs
 * more than NATS 2.10.
 */

/** The size of the stream of readings before it refuses, the same as on the in-process bus. */
export const readingsBytesMaxDefault = 1_536 * 1024 * 1024
/** The same of the stream of error events. */
export const errorsBytesMaxDefault = 512 * 1024 * 1024
/** Longer than an outage of ClickHouse may last unnoticed. */
const errorAgeMsMax = 7 * 86_400_000
const duplicateWindowMs = 120_000
/** An error event that could not be published is later counted as dropped under the same message id. */
const errorDuplicateWindowMs = 600_000
/** The limit of unacknowledged deliveries per partition; then the server waits. */
const unacknowledgedMax = 100_000
/** Longer than any batch waits: the adapter itself finds lost deliveries. */
const redeliverAfterMs = 24 * 3_600_000
const assignmentsBytesMax = 256 * 1024 * 1024
const persistedBytesMax = 64 * 1024 * 1024
const presenceBytesMax = 16 * 1024 * 1024
/** The size of one message with headers, which is also the server's default limit. */
const messageBytesMax = 1024 * 1024
/** Less than any message with its id. */
const closedBytesMax = 1

/** A stream in partitions: its subjects and its consumers. */
export type StreamPlace<Name extends string = string> = {
  stream: string
  partitions: readonly number[]
  consumerNames: readonly Name[]
  /** The subjects of one partition. */
  subjectOf(partition: number): string
  /** The region that may publish on a subject; absent: subjects without a region. */
  regionOf?(subject: string): Region
}

/** The publisher of a message, as far as the server enforces it. */
export const publisherOf = (
  { regionOf }: Pick<StreamPlace, 'regionOf'>,
  subject: string,
): { region?: Region } => (regionOf === undefined ? {} : { region: regionOf(subject) })

export const readingsPlace: StreamPlace<ConsumerName> = {
  stream: subjects.readingsStream,
  partitions,
  consumerNames: ['ingest', 'assess'],
  // of all regions
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

/** The stream behind a bucket, and the subject of a key in it. */
export const bucketStream = (bucket: string): string => `KV_${bucket}`
export const bucketSubject = (bucket: string, key: string): string => `$KV.${bucket}.${key}`

/**
 * Keeps messages until every consumer has acknowledged them, within bytes and age. A full stream refuses, so
 * that the publisher knows.
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
    // Only acknowledgements remove a message.
    deny_delete: true,
    deny_purge: true,
  }) satisfies Partial<StreamConfig>

const readingsStream = (bytesMax: number) =>
  interestStream(subjects.readingsStream, 'mesh.readings.*.*', bytesMax, limits.readingAgeMsMax)

const errorsStream = (bytesMax: number) =>
  interestStream(subjects.errorsStream, 'mesh.errors.*', bytesMax, errorAgeMsMax, errorDuplicateWindowMs)

const streamConsumers = ({ partitions: all, consumerNames, subjectOf }: StreamPlace): ConsumerConfig[] =>
  all.flatMap((partition) =>
    consumerNames.map((name) => ({
      durable_name: durableName(partition, name),
      filter_subject: subjectOf(partition),
      deliver_policy: DeliverPolicy.All,
      replay_policy: ReplayPolicy.Instant,
      // A cumulative acknowledgement would cost the server a look at each message of other partitions.
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(redeliverAfterMs),
      max_deliver: -1,
      max_ack_pending: unacknowledgedMax,
      max_waiting: 512,
    })),
  )

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

/** Marks of all private agents, with the agent in the key, so that an agent adds no stream. */
const privateMarks = bucket('persisted_private', persistedBytesMax, limits.readingAgeMsMax)

const regionBuckets = (region: Region) => [
  bucket(subjects.assignments(region), assignmentsBytesMax, 0),
  // An agent offline for longer than readings are accepted has nothing left to delete.
  bucket(subjects.persisted(region), persistedBytesMax, limits.readingAgeMsMax),
  bucket(subjects.presence(region), presenceBytesMax, presence.ttlMs),
]

/** How many servers of a cluster store each message; the same for consumers. */
export type Replicas = 1 | 3 | 5

const declareConsumers = async (jsm: JetStreamManager, place: StreamPlace): Promise<void> => {
  for (const consumer of streamConsumers(place)) await jsm.consumers.add(place.stream, consumer)
}

/**
 * A stream with interest retention drops messages that arrive before its consumers exist. So it starts
 * closed, with a message size that no message fits, and opens when all its consumers are declared.
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

/** Creates and updates what this file declares. Safe to run at any time, and concurrently. */
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

const places: readonly StreamPlace[] = [readingsPlace, errorsPlace]

/** @param reconcile creates what is missing, streams included */
export const createConsumerCare = (link: Link, reconcile: () => Promise<void>): ConsumerCare => {
  /** Compares the count: a control plane may not list consumers. A missing stream has none. */
  const areAllThere = async (place: StreamPlace): Promise<boolean> => {
    const info = await ifThere(link.jsm.streams.info(place.stream))
    return (info?.state.consumer_count ?? 0) >= streamConsumers(place).length
  }
  return {
    areOursThere: () =>
      link.attempt(async () => !(await Promise.all(places.map(areAllThere))).includes(false)),
    declareOurs: reconcile,
  }
}
