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
import { openLine, type Line } from './relay-line.ts'

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
  const state: RelayState = {
    region,
    log,
    assignments: createRelayAssignments(log),
    clock: createRelayClock(),
    returns: new Set(),
    marks: new Map(),
    markers: new Set(),
    servers: new Set(),
    announced: null,
    revision: 0,
  }
  const { assignments, marks, markers } = state
  const line: Line = openLine({
    ...options,
    fetch: options.fetch ?? networkFetch(options.network ?? directNetwork, () => import('undici')),
    random: options.random ?? Math.random,
    onOpen: () => {
      assignments.begin()
      void announce(state, line)
      for (const listener of state.returns) listener()
    },
    onEvent: (name, event) => takers[name](state, event, line),
  })
  const announcing = setInterval(() => void announce(state, line), relayPace.presenceMs)
  announcing.unref()

  return {
    presence: presenceOf(state, line),
    assignments: {
      watch: (_, handler) => assignments.watch(handler),
      put: notHere,
      remove: notHere,
      held: notHere,
    },
    readings: {
      publish: async ({ partition, messageId, data }) => {
        whileOpen(line)
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
    runs: { serve: async (_, handler) => member(state.servers, handler), request: notHere },
    events: { publish: () => undefined, deliver: notHere, subscribe: notHere },
    clock: state.clock,
    onReturn: (listener) => member(state.returns, () => listener()),
    close: async () => {
      clearInterval(announcing)
      state.announced = null
      await line.close()
    },
  }
}

type RelayState = {
  readonly region: Region
  readonly log: Logger
  readonly assignments: ReturnType<typeof createRelayAssignments>
  readonly clock: ReturnType<typeof createRelayClock>
  readonly returns: Set<() => void>
  readonly marks: Map<number, number>
  readonly markers: Set<OnMark>
  readonly servers: Set<OnRun>
  announced: Announced | null
  revision: number
}

const takers: {
  readonly [N in RelayEventName]: (state: RelayState, event: RelayEvent<N>, line: Line) => void
} = {
  put: ({ assignments }, event) => assignments.put(event.assignments as Assignment[]),
  remove: ({ assignments }, { checkId }) => assignments.remove(checkId),
  current: ({ assignments }) => assignments.current(),
  mark: ({ marks, markers }, { partition, batch }) => {
    marks.set(partition, batch)
    for (const onMark of markers) onMark(partition, batch)
  },
  run: (state, { id, request }, line) => void answerRun(state, line, id, request as RunRequest),
  superseded: (state) => onSuperseded(state),
}

const answerRun = async (
  { servers, region, log }: RelayState,
  line: Line,
  id: string,
  request: RunRequest,
): Promise<void> => {
  const [serve] = servers
  try {
    const reply = serve === undefined ? { agent: region, error: 'busy' } : await serve(request)
    await line.post(`/runs/${encodeURIComponent(id)}`, JSON.stringify(reply))
  } catch (error) {
    log.warn({ err: error }, 'a requested run was not answered')
  }
}

const onSuperseded = (state: RelayState): void => {
  const former = state.announced
  state.announced = null
  if (former === null) return
  state.log.error({ agent: former.presence.agent }, 'another agent runs with the same token')
  former.onSuperseded()
}

/** Announces this agent, with its report. */
const announce = async (state: RelayState, line: Line): Promise<void> => {
  const { announced, clock, log } = state
  const session = line.session()
  if (announced === null || session === null) return
  const { report } = withReport(announced.presence, announced.report)
  try {
    const body = JSON.stringify({ session, report: report ?? null })
    const beganAt = Date.now()
    const said = RelayPresence.safeParse(await line.post('/presence', body))
    clock.take(beganAt, said.data?.at)
    state.revision++
    // ignored for a stream that was reopened in the meantime
    const isOurs = line.session() === session
    if (isOurs && said.success && said.data.state === 'superseded') onSuperseded(state)
  } catch (error) {
    log.warn({ err: error }, 'presence could not be announced')
  }
}

const presenceOf = (state: RelayState, line: Line): Presence => ({
  announce: async (who, onReplaced = () => undefined, report) => {
    whileOpen(line)
    const mine: Announced = {
      presence: who,
      onSuperseded: onReplaced,
      ...(report === undefined ? {} : { report }),
    }
    state.announced = mine
    await announce(state, line)
    return {
      close: async () => {
        if (state.announced === mine) state.announced = null
      },
    }
  },
  // a private agent is its whole region
  list: async () => {
    whileOpen(line)
    const { announced, revision } = state
    return announced === null ? [] : [{ ...announced.presence, revision }]
  },
})

const whileOpen = (line: Line): void => {
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
