import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { rowOf } from './behaviour.ts'
import type { Behaviour, Steady, Truth } from './behaviour.ts'
import { createTruths } from './truths.ts'

/** Every target of a fleet: many hosts, each of which behaves by region. */
export type Target = {
  portOf(host: string): number
  /** Every host is up until told otherwise. */
  behave(host: string, behaviour: Behaviour, regions?: readonly string[]): void
  /** Headers that the host's answers carry, such as the mark of its CDN. */
  mark(host: string, headers: Readonly<Record<string, string>>): void
  /** Where the host's name leads for a region; null where it does not exist. */
  addressOf(host: string, region: string): string | null
  /** What was true of a host for a region at any instant of a time, in the machine's time. */
  truthsOf(host: string, region: string, fromMs: number, toMs: number): ReadonlySet<Truth>
  close(): Promise<void>
}

const own = '127.0.0.1'
const attemptsOfRun = 2
/** Longer than two readings are apart. */
const flapMs = 5_000

/**
 * @param hosts each has a port of its own: a listener takes one connection in each turn of the event
 * loop, so that hosts which share one would wait for each other
 */
export const startTarget = async (
  hosts: readonly string[],
  regions: readonly string[],
  machine: () => number = Date.now,
): Promise<Target> => {
  const current = new Map<string, Steady>()
  const requests = new Map<string, number>()
  const marks = new Map<string, Readonly<Record<string, string>>>()
  const flapping = new Map<string, NodeJS.Timeout>()
  const truths = createTruths(machine)

  const turn = (key: string, steady: Steady): void => {
    current.set(key, steady)
    requests.delete(key)
    truths.note(key, rowOf(steady).truth)
  }
  const behaveIn = (key: string, behaviour: Behaviour): void => {
    clearInterval(flapping.get(key))
    flapping.delete(key)
    if (behaviour !== 'flapping') return turn(key, behaviour)
    const flap = (): void => turn(key, current.get(key) === 'down' ? 'up' : 'down')
    flap()
    flapping.set(key, setInterval(flap, flapMs))
  }
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const host = request.headers.host?.replace(/:\d+$/, '') ?? ''
    const key = keyOf(host, regionOf(request))
    const earlier = requests.get(key) ?? 0
    requests.set(key, earlier + 1)
    for (const [name, value] of Object.entries(marks.get(host) ?? {})) {
      response.setHeader(name, value)
    }
    const behaviour = current.get(key) ?? 'up'
    rowOf(behaviour).serve(response, earlier)
    if (behaviour === 'hiccup' && earlier + 1 >= attemptsOfRun) turn(key, 'up')
  }
  const servers = new Map<string, Server>()
  for (const host of hosts) servers.set(host, await listen(answer))

  return {
    portOf: (host) => {
      const server = servers.get(host)
      if (server === undefined) throw new Error(`${host} is no target`)
      return (server.address() as AddressInfo).port
    },
    behave: (host, behaviour, some = regions) => {
      for (const region of some) behaveIn(keyOf(host, region), behaviour)
    },
    mark: (host, headers) => void marks.set(host, headers),
    addressOf: (host, region) => {
      const { address } = rowOf(current.get(keyOf(host, region)) ?? 'up')
      return address === undefined ? own : address
    },
    truthsOf: (host, region, fromMs, toMs) => truths.during(keyOf(host, region), fromMs, toMs),
    close: async () => {
      for (const timer of flapping.values()) clearInterval(timer)
      await Promise.all(
        [...servers.values()].map(async (server) => {
          server.close()
          server.closeAllConnections()
          await once(server, 'close')
        }),
      )
    },
  }
}

const listen = async (answer: RequestListener): Promise<Server> => {
  const server = createServer(answer)
  server.keepAliveTimeout = 1_000
  server.listen(0, own)
  await once(server, 'listening')
  return server
}

const keyOf = (host: string, region: string): string => `${host} ${region}`

/** Agents say their region in the user agent: `ProbeMesh/0.1.0 (fra; uptime monitoring)`. */
const regionOf = (request: IncomingMessage): string =>
  /^ProbeMesh\/\S+ \(([a-z]{3})[;)]/.exec(request.headers['user-agent'] ?? '')?.[1] ?? 'unknown'
