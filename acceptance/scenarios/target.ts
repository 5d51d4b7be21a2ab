import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { rowOf, type Behaviour, type Steady, type Truth } from './behaviour.ts'

/** The truth over time, with which every answer is compared. */
type Truths = {
  note(key: string, truth: Truth): void
  /** Every truth at any instant from `fromMs` to `toMs`; `up` without a record. */
  during(key: string, fromMs: number, toMs: number): ReadonlySet<Truth>
}

/** @param machine Unix milliseconds without advances */
export const createTruths = (machine: () => number): Truths => {
  const notes = new Map<string, { sinceMs: number; truth: Truth }[]>()
  return {
    note: (key, truth) => {
      const own = notes.get(key) ?? [{ sinceMs: Number.NEGATIVE_INFINITY, truth: 'up' }]
      notes.set(key, [...own, { sinceMs: machine(), truth }])
    },
    during: (key, fromMs, toMs) => {
      const own = notes.get(key) ?? [{ sinceMs: Number.NEGATIVE_INFINITY, truth: 'up' }]
      const held = own.filter(({ sinceMs }, index) => {
        const untilMs = own[index + 1]?.sinceMs ?? Number.POSITIVE_INFINITY
        return sinceMs <= toMs && untilMs >= fromMs
      })
      return new Set(held.map(({ truth }) => truth))
    },
  }
}

/** Every target of a fleet: many hosts, each with a behaviour per region. */
export type Target = {
  portOf(host: string): number
  /** Every host is up until changed. */
  behave(host: string, behaviour: Behaviour, regions?: readonly string[]): void
  /** Sets headers of the host's answers, such as the mark of its CDN. */
  mark(host: string, headers: Readonly<Record<string, string>>): void
  /** The address of the host for a region; null: it does not exist. */
  addressOf(host: string, region: string): string | null
  /** The truths of a host for a region during a period, in the machine's time. */
  truthsOf(host: string, region: string, fromMs: number, toMs: number): ReadonlySet<Truth>
  close(): Promise<void>
}

const attemptsOfRun = 2
/** Longer than the time between two readings. */
const flapMs = 5_000

/**
 * @param hosts each has its own port, because a listener accepts one connection per turn of the event loop,
 * and hosts on a shared port would wait for each other
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
  const answer = (region: string, request: IncomingMessage, response: ServerResponse): void => {
    const host = request.headers.host?.replace(/:\d+$/, '') ?? ''
    const key = keyOf(host, region)
    const earlier = requests.get(key) ?? 0
    requests.set(key, earlier + 1)
    for (const [name, value] of Object.entries(marks.get(host) ?? {})) {
      response.setHeader(name, value)
    }
    const behaviour = current.get(key) ?? 'up'
    rowOf(behaviour).serve(response, earlier)
    if (behaviour === 'hiccup' && earlier + 1 >= attemptsOfRun) turn(key, 'up')
  }
  const servers = new Map<string, Server[]>()
  for (const host of hosts) servers.set(host, await listen(regions, answer))

  return {
    portOf: (host) => {
      const [server] = servers.get(host) ?? []
      if (server === undefined) throw new Error(`${host} is not a target`)
      return (server.address() as AddressInfo).port
    },
    behave: (host, behaviour, some = regions) => {
      for (const region of some) behaveIn(keyOf(host, region), behaviour)
    },
    mark: (host, headers) => void marks.set(host, headers),
    addressOf: (host, region) => {
      const { address } = rowOf(current.get(keyOf(host, region)) ?? 'up')
      return address === undefined ? ownAddress(regions, region) : address
    },
    truthsOf: (host, region, fromMs, toMs) => truths.during(keyOf(host, region), fromMs, toMs),
    close: async () => {
      for (const timer of flapping.values()) clearInterval(timer)
      await Promise.all(
        [...servers.values()].flat().map(async (server) => {
          server.close()
          server.closeAllConnections()
          await once(server, 'close')
        }),
      )
    },
  }
}

type Answer = (region: string, request: IncomingMessage, response: ServerResponse) => void

/** One server for each region, all on one port: the address of the connection identifies the region. */
const listen = async (regions: readonly string[], answer: Answer): Promise<Server[]> => {
  for (;;) {
    const servers: Server[] = []
    try {
      for (const region of regions) {
        const server = createServer((request, response) => answer(region, request, response))
        server.keepAliveTimeout = 1_000
        const port = (servers[0]?.address() as AddressInfo | undefined)?.port ?? 0
        server.listen(port, ownAddress(regions, region))
        await once(server, 'listening')
        servers.push(server)
      }
      return servers
    } catch (error) {
      // another program uses the port at another region's address: try another port
      for (const server of servers) server.close()
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    }
  }
}

/** The address to which a region's resolver resolves hosts. */
const ownAddress = (regions: readonly string[], region: string): string =>
  `127.0.10.${regions.indexOf(region) + 1}`

const keyOf = (host: string, region: string): string => `${host} ${region}`
