import type { Authenticator } from '@nats-io/nats-core'
import { subjects } from '@probe-mesh/contracts/mesh/subjects'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { callHandler, silentLogger, type Logger } from '../logger.ts'
import type { Bus, Events, Persisted } from '../port.ts'
import type { Admission } from '../refusal.ts'
import { decodeBytes, encodeText, toToken } from '../wire.ts'
import { createAssignments, createHeldMirrors, type HeldMirrors } from './assignments.ts'
import { watchBucket } from './bucket-watch.ts'
import { createClock } from './clock.ts'
import { openLink, type Link, type LinkOptions } from './link.ts'
import { keepSwept } from './markers.ts'
import { createErrors, createReadings } from './partitioned-stream.ts'
import { createPresence } from './presence.ts'
import { createRuns } from './runs.ts'
import { flush, subscribe } from './subscribe.ts'
import { OtherSystem, readSystemOf } from './system-mark.ts'
import {
  createConsumerCare,
  errorsBytesMaxDefault,
  readingsBytesMaxDefault,
  reconcileTopology,
  type Replicas,
} from './topology.ts'

/** What the control plane declares on the server, at its start and after every reconnect. */
type DeclaredTopology = {
  regions: readonly Region[]
  readingsBytesMax?: number
  errorsBytesMax?: number
  /** null: existing streams keep their replicas, and new ones have one. */
  replicas?: Replicas | null
  /** The id of the system; absent: streams have no id. */
  system?: string | null
}

/**
 * The bus on a NATS server with JetStream. The control plane passes `topology` and manages the streams; an
 * agent omits it, and waits until the streams exist.
 * @throws BusUnavailable when no server answers, or it cannot create the topology
 */
export const openNatsBus = async (options: {
  servers: readonly string[]
  name: string
  authenticator?: Authenticator
  inboxPrefix?: string
  apiPrefix?: string
  check?: NonNullable<LinkOptions['check']>
  admission?: Admission
  topology?: DeclaredTopology
  log?: Logger
}): Promise<Bus> => {
  const { topology, ...connection } = options
  const log = options.log ?? silentLogger
  const link = await openLink({ ...connection, log })
  const mirrors = createHeldMirrors(link)
  let reconcile: (() => Promise<void>) | null = null
  try {
    if (topology !== undefined) reconcile = await keepTopology(link, topology, mirrors)
  } catch (error) {
    await link.close()
    throw error
  }
  return {
    assignments: createAssignments(link, mirrors),
    readings: createReadings(link),
    errors: createErrors(link),
    persisted: createPersisted(link),
    runs: createRuns(link),
    presence: createPresence(link),
    events: createEvents(link),
    // only a bus that declares the topology may read it
    ...(reconcile !== null && { consumers: createConsumerCare(link, reconcile) }),
    clock: createClock(link),
    onReturn: (listener) => {
      const stop = link.onChange((up) => {
        if (up) listener()
      })
      return { close: async () => stop() }
    },
    close: () => link.close(),
  }
}

/** Reconciles at every reconnect, since a server may return with an empty disk. @returns reconciles again */
const keepTopology = async (
  link: Link,
  topology: DeclaredTopology,
  mirrors: HeldMirrors,
): Promise<() => Promise<void>> => {
  const wanted = {
    readingsBytesMax: readingsBytesMaxDefault,
    errorsBytesMax: errorsBytesMaxDefault,
    replicas: null,
    system: null,
    ...topology,
  }
  const reconcile = async (): Promise<void> => {
    await refuseOtherSystem(link, wanted.system)
    await reconcileTopology(link, wanted)
  }
  await reconcile()
  keepSwept(link, wanted.regions, mirrors)
  link.onChange((up) => {
    if (!up) return
    reconcile().catch((error: unknown) => {
      link.log.error({ err: error }, 'the streams on nats could not be reconciled')
    })
  })
  return reconcile
}

/** Refuses to change the streams of another system. @throws OtherSystem */
const refuseOtherSystem = async (link: Link, system: string | null): Promise<void> => {
  const found = system === null ? null : await readSystemOf(link)
  if (found === null || found === system) return
  throw new OtherSystem(`NATS is of system ${found}, and the databases are of ${system}`)
}

/** Core messages: events published while NATS is unavailable are dropped. */
const createEvents = (link: Link): Events => ({
  publish: (kind, payload) => {
    if (!link.isUp()) return
    link.nc.publish(subjects.events(kind), encodeText(payload))
  },
  deliver: (events) =>
    link.attempt(async () => {
      for (const { kind, payload } of events) link.nc.publish(subjects.events(kind), encodeText(payload))
      await flush(link)
    }),
  subscribe: (kind, handler) =>
    link.attempt(() =>
      subscribe(link, subjects.events(kind), null, (message) => {
        callHandler(link.log, () => handler(decodeBytes<unknown>(message.data)))
      }),
    ),
})

/** A bucket per region: the key is agent and partition, the value the highest stored batch. */
const createPersisted = (link: Link): Persisted => ({
  mark: (region, agent, partition, batch) =>
    link.attempt(async () => {
      const bucket = await link.bucket(subjects.persisted(region))
      await bucket.put(`${toToken(agent)}.${partition}`, encodeText(batch))
    }),
  get: (region, agent, partition) =>
    link.attempt(async () => {
      const bucket = await link.bucket(subjects.persisted(region))
      const entry = await bucket.get(`${toToken(agent)}.${partition}`)
      return entry?.operation === 'PUT' ? decodeBytes<number>(entry.value) : null
    }),
  watch: (region, agent, onMark) =>
    watchBucket(link, subjects.persisted(region), `${toToken(agent)}.*`, {
      onPut: (key, data) => onMark(Number(key.slice(key.lastIndexOf('.') + 1)), decodeBytes<number>(data)),
      // An expired mark revokes nothing.
      onRemove: () => undefined,
      onCurrent: () => undefined,
    }),
})
