import type { AgentReport } from '@probe-mesh/contracts/agent/agent-report'
import {
  RelayPresence,
  RelayTaken,
  relayPace,
  type RelayEvent,
  type RelayEventName,
} from '@probe-mesh/contracts/agent/relay'
import type { Assignment, RunRequest } from '@probe-mesh/contracts/mesh/assignment'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { directNetwork, type Network } from '@probe-mesh/runtime/network'
import { networkFetch } from '@probe-mesh/runtime/proxied-fetch'
import type { Logger } from '../logger.ts'
import {
  BusUnavailable,
  type AgentPresence,
  type Bus,
  type Clock,
  type ClockSample,
  type Presence,
  type RunReply,
  type Subscription,
} from '../port.ts'
import type { Admission } from '../refusal.ts'
import { withReport } from '../with-report.ts'
import { createRelayAssignments } from './relay-assignments.ts'
import { openLine } from './relay-line.ts'

type Announced = { presence: AgentPresence; onSuperseded: () => void; report?: () => AgentReport }
type OnMark = (partition: number, batch: number) => void
type OnRun = (request: RunRequest) => Promise<RunReply>

/**
 * The bus of a private agent: over HTTPS, through a control plane, for its own region only, without the
 * operations of a control plane. It is open from the start, and unavailable while no stream is open.
 */
export const openRelayBus = (options: {
  url: string
  token: () => string
  region: Region
  version: string
  log: Logger
  admission?: Admission
  instance?: string
  /** Absent: without a proxy. */
  network?: Network
  fetch?: typeof fetch
  random?: () => number
}): Bus => {
  const { region, log } = options
  const assignments = createRelayAssignments(log)
  const returns = new Set<() => void>()
  const marks = new Map<number, number>()
  const markers = new Set<OnMark>()
  const servers = new Set<OnRun>()
  let announced: Announced | null = null
  let revision = 0
  const clock = createRelayClock()

  const onEvent = <N extends RelayEventName>(name: N, event: RelayEvent<N>): void =>
    (takers[name] as (event: RelayEvent<N>) => void)(event)
  const takers: { [N in RelayEventName]: (event: RelayEvent<N>) => void } = {
    put: (event) => assignments.put(event.assignments as Assignment[]),
    remove: ({ checkId }) => assignments.remove(checkId),
    current: assignments.current,
    mark: ({ partition, batch }) => {
      marks.set(partition, batch)
      for (const onMark of markers) onMark(partition, batch)
    },
    run: ({ id, request }) => void answer(id, request as RunRequest),
    superseded: () => superseded(),
  }
  const line = openLine({
    ...options,
    fetch: options.fetch ?? networkFetch(options.network ?? directNetwork, () => import('undici')),
    random: options.random ?? Math.random,
    onOpen: () => {
      assignments.begin()
      void tell()
      for (const listener of returns) listener()
    },
    onEvent,
    onLost: () => undefined,
  })

  const answer = async (id: string, request: RunRequest): Promise<void> => {
    const [serve] = servers
    try {
      const reply = serve === undefined ? { agent: region, error: 'busy' } : await serve(request)
      await line.post(`/runs/${encodeURIComponent(id)}`, JSON.stringify(reply))
    } catch (error) {
      log.warn({ err: error }, 'a requested run was not answered')
    }
  }
  const superseded = (): void => {
    const former = announced
    announced = null
    if (former === null) return
    log.error({ agent: former.presence.agent }, 'another agent runs with the same token')
    former.onSuperseded()
  }
  /** Announces this agent, with its report. */
  const tell = async (): Promise<void> => {
    const session = line.session()
    if (announced === null || session === null) return
    const { report } = withReport(announced.presence, announced.report)
    try {
      const body = JSON.stringify({ session, report: report ?? null })
      const beganAt = Date.now()
      const said = RelayPresence.safeParse(await line.post('/presence', body))
      clock.take(beganAt, said.data?.at)
      revision++
      // ignored for a stream that was reopened in the meantime
      const isOurs = line.session() === session
      if (isOurs && said.success && said.data.state === 'superseded') superseded()
    } catch (error) {
      log.warn({ err: error }, 'presence could not be announced')
    }
  }
  const telling = setInterval(() => void tell(), relayPace.presenceMs)
  telling.unref()

  const whileOpen = (): void => {
    if (line.session() === null) throw new BusUnavailable('the relay is temporarily unavailable')
  }
  const member = <T>(set: Set<T>, one: T): Subscription => {
    set.add(one)
    return {
      close: async () => {
        set.delete(one)
      },
    }
  }

  const presence: Presence = {
    announce: async (who, onSuperseded, report) => {
      whileOpen()
      const mine: Announced = {
        presence: who,
        onSuperseded: onSuperseded ?? (() => undefined),
        ...(report === undefined ? {} : { report }),
      }
      announced = mine
      await tell()
      return {
        close: async () => {
          if (announced === mine) announced = null
        },
      }
    },
    // a private agent is its whole region
    list: async () => {
      whileOpen()
      return announced === null ? [] : [{ ...announced.presence, revision }]
    },
  }
  return {
    presence,
    assignments: {
      watch: (_, handler) => assignments.watch(handler),
      put: notHere,
      remove: notHere,
      list: notHere,
    },
    readings: {
      publish: async ({ partition, messageId, data }) => {
        whileOpen()
        const query = new URLSearchParams({ partition: String(partition), messageId })
        return RelayTaken.parse(await line.post(`/readings?${query}`, data))
      },
      consume: notHere,
      replay: notHere,
    },
    errors: { publish: notHere, consume: notHere, replay: notHere },
    persisted: {
      mark: notHere,
      get: notHere,
      watch: async (_region, _agent, onMark) => {
        for (const [partition, batch] of marks) setImmediate(onMark, partition, batch)
        return member(markers, onMark)
      },
    },
    runs: { serve: async (_, handler) => member(servers, handler), request: notHere },
    events: { publish: () => undefined, deliver: notHere, subscribe: notHere },
    clock,
    onReturn: (listener) => member(returns, () => listener()),
    close: async () => {
      clearInterval(telling)
      announced = null
      await line.close()
    },
  }
}

const notHere = async (): Promise<never> => {
  throw new Error('a private agent does not have this operation')
}

/** The clock sample in the presence responses of a control plane. */
const createRelayClock = (): Clock & {
  take(beganAtMs: number, theirMs: number | undefined): void
} => {
  let sample: ClockSample | null = null
  return {
    take: (beganAtMs, theirMs) => {
      const endedAtMs = Date.now()
      const errorMs = Math.abs(endedAtMs - beganAtMs) / 2
      const aheadMs = (beganAtMs + endedAtMs) / 2 - (theirMs ?? 0)
      sample = theirMs === undefined ? null : { aheadMs, errorMs, isAgreed: true }
    },
    tell: notHere,
    read: async () => {
      const last = sample
      sample = null
      return last
    },
  }
}
