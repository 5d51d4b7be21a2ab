import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { AgentPresence, WaitingAgent } from '../port.ts'
import { decodeBytes, valueIn } from '../wire.ts'
import { ifThere } from './ensure-stream.ts'
import { openLink, type Link, type LinkOptions } from './link.ts'
import { readAnnouncements, readWaiting } from './presence.ts'
import { durableName, errorsPlace, readingsPlace, type StreamPlace } from './topology.ts'

/** A stream as the server has it. */
export type StreamFacts = {
  name: string
  messages: number
  bytes: number
  bytesMax: number
  /** Unacknowledged messages of each kind of consumer, over all partitions; null: a consumer is missing. */
  waiting: Record<string, number | null>
  /** When the oldest message was stored, Unix ms; null: the stream is empty. */
  oldestAtMs: number | null
}

/** An agent's announcement, and when the server stored it. */
export type AnnouncementFacts = AgentPresence & { takenAtMs: number }

export type BusFacts = {
  server: string
  rttMs: number
  /** The server's clock, Unix ms; null: not reported. */
  nowMs: number | null
  /** null: the stream does not exist; no control plane has created it. */
  streams: { name: string; facts: StreamFacts | null }[]
  /** null: the server does not know the region. */
  regions: {
    region: Region
    agents: AnnouncementFacts[] | null
    /** Agents that wait, because another installation runs under their name. */
    waiting: (WaitingAgent & { takenAtMs: number })[]
  }[]
}

/**
 * Reads the state of the mesh on NATS, and changes nothing.
 * @throws BusUnavailable when no server answers; the client's error for wrong credentials
 */
export const inspectNats = async (
  options: LinkOptions & { regions: readonly Region[] },
): Promise<BusFacts> => {
  const link = await openLink(options)
  try {
    const rttMs = await link.attempt(() => link.nc.rtt())
    const read = [readingsPlace, errorsPlace].map(async (place) => ({
      name: place.stream,
      read: await readStream(link, place),
    }))
    const streams = await Promise.all(read)
    const regions = options.regions.map(async (region) => ({
      region,
      agents: await readAgents(link, region),
      waiting: await readWaitingAgents(link, region),
    }))
    return {
      server: link.nc.getServer(),
      rttMs,
      nowMs: streams.map((stream) => stream.read?.nowMs ?? null).find((ms) => ms !== null) ?? null,
      streams: streams.map(({ name, read }) => ({ name, facts: read?.facts ?? null })),
      regions: await Promise.all(regions),
    }
  } finally {
    await link.close()
  }
}

const readStream = (
  link: Link,
  place: StreamPlace,
): Promise<{ facts: StreamFacts; nowMs: number | null } | null> =>
  link.attempt(async () => {
    const info = await ifThere(link.jsm.streams.info(place.stream))
    if (info === null) return null
    const waiting: StreamFacts['waiting'] = {}
    for (const name of place.consumerNames) {
      const each = await Promise.all(
        place.partitions.map((partition) =>
          ifThere(link.jsm.consumers.info(place.stream, durableName(partition, name))),
        ),
      )
      waiting[name] = each.some((one) => one === null)
        ? null
        : each.reduce((sum, one) => sum + (one?.num_pending ?? 0) + (one?.num_ack_pending ?? 0), 0)
    }
    const { state, config } = info
    return {
      nowMs: instantOf(Reflect.get(info, 'ts')),
      facts: {
        name: place.stream,
        messages: state.messages,
        bytes: state.bytes,
        bytesMax: config.max_bytes,
        waiting,
        oldestAtMs: state.messages === 0 ? null : instantOf(state.first_ts),
      },
    }
  })

const instantOf = (text: unknown): number | null => {
  const ms = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? null : ms
}

const readAgents = (link: Link, region: Region): Promise<AnnouncementFacts[] | null> =>
  link.attempt(async () => {
    const entries = await ifThere(readAnnouncements(link, region))
    if (entries === null) return null
    return entries.map(({ value, created }) => ({
      ...decodeBytes<AgentPresence>(value),
      takenAtMs: created.getTime(),
    }))
  })

const readWaitingAgents = (link: Link, region: Region): Promise<(WaitingAgent & { takenAtMs: number })[]> =>
  link.attempt(async () => {
    const entries = (await ifThere(readWaiting(link, region))) ?? []
    return entries.flatMap(({ value, created }) => {
      const { agent, instance } = Object(valueIn(value)) as Record<string, unknown>
      return typeof agent === 'string' && typeof instance === 'string'
        ? [{ agent, region, instance, takenAtMs: created.getTime() }]
        : []
    })
  })
