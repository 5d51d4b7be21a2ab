import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gatewayClientHeader } from '@probe-mesh/contracts/outage/gateway'
import { gatewayPools, requestPools } from '@probe-mesh/contracts/api/request-pools'
import { queryClickHouse } from '@probe-mesh/control-plane/src/accounts/operations/query-clickhouse'
import { inTurn, takeTurn } from '@probe-mesh/runtime/account-turns'
import type { ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { createRequestShares, type RequestShares } from '@probe-mesh/control-plane/src/stores/request-shares'
import { connectControlPlane, ControlPlaneUnavailable } from '@probe-mesh/mcp-gateway/upstream/control-plane'
import pino from 'pino'
import { Registry } from 'prom-client'
import { expect, onTestFinished } from 'vitest'
import { numbers, type FairnessCase } from './case.ts'
import { settleLoop, turnsCase, type Opened } from './turns.ts'

const { postgresConnections, lookUps, targetQuestions, clickhouseQueries, replays } = requestPools
const log = pino({ level: 'silent' })

/** The databases get no queries; only the order of turns counts. */
const openShares = (): RequestShares & { sql: Sql; accountSql: Sql } => {
  const sql = {} as Sql
  const accountSql = {} as Sql
  const clickhouse = {} as ClickHouse
  return {
    ...createRequestShares({ sql, accountSql, clickhouse, registry: new Registry() }),
    sql,
    accountSql,
  }
}
const busy = expect.objectContaining({ name: 'StoreBusy' })

/** Streams are opened at once or refused. */
const streamsCase = (
  name: 'eventStreams' | 'relayStreams',
  floorName: 'eventStreamFloors' | 'relayStreamFloors',
): FairnessCase => {
  const [{ bounds }, { bounds: floors }] = [requestPools[name], requestPools[floorName]]
  const floorAccounts = floors.places / floors.placesOfOwner
  const crowdMax = bounds.places / bounds.placesOfOwner + floorAccounts - 1
  return {
    crowds: [2, 50, crowdMax],
    floor: (crowd) => {
      const streams = openShares()[name]
      for (const n of numbers(crowd)) {
        for (const _ of numbers(bounds.placesOfOwner + 1)) streams.take(`crowd ${n}`)
      }
      for (const _ of numbers(floors.placesOfOwner)) {
        expect(streams.take('newcomer')).toHaveProperty('release')
      }
    },
    share: () => {
      const streams = openShares()[name]
      for (const _ of numbers(bounds.placesOfOwner)) {
        expect(streams.take('alone')).toHaveProperty('release')
      }
      expect(streams.take('alone')).toBe('share')
    },
  }
}
const streamFloorsCase = (
  name: 'eventStreams' | 'relayStreams',
  floorName: 'eventStreamFloors' | 'relayStreamFloors',
): FairnessCase => {
  const { bounds: floors } = requestPools[floorName]
  /** Fills all places with accounts at their share. */
  const full = () => {
    const streams = openShares()[name]
    const { places, placesOfOwner } = requestPools[name].bounds
    for (const n of numbers(places)) streams.take(`full ${Math.floor(n / placesOfOwner)}`)
    return streams
  }
  return {
    crowds: [2, 50, floors.places / floors.placesOfOwner - 1],
    floor: (crowd) => {
      const streams = full()
      for (const _ of numbers(10)) for (const n of numbers(crowd)) streams.take(`crowd ${n}`)
      for (const _ of numbers(floors.placesOfOwner)) {
        expect(streams.take('newcomer')).toHaveProperty('release')
      }
    },
    share: () => {
      const streams = full()
      for (const _ of numbers(floors.placesOfOwner)) {
        expect(streams.take('alone')).toHaveProperty('release')
      }
      expect(streams.take('alone')).toBe('all')
    },
  }
}

/** A control plane that answers each call when the test allows it. */
const openGateway = async (): Promise<Opened> => {
  const works = new Map<string, { hold(): Promise<void> }[]>()
  let begun = 0
  let ended = 0
  let requests = 0
  let refused = 0
  const server = createServer((request, response) => {
    const work = works.get(String(request.headers[gatewayClientHeader]))?.shift()
    begun += 1
    void work?.hold().then(() => response.end('{}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const upstream = connectControlPlane({
    apiUrl: `http://127.0.0.1:${port}/v1`,
    gatewayKey: 'a key of the tests',
  })
  onTestFinished(async () => {
    await upstream.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { places } = gatewayPools.gatewayCalls.bounds
  const addresses = new Map<string, string>()
  const addressOf = (owner: string): string => {
    const known = addresses.get(owner)
    if (known !== undefined) return known
    const number = addresses.size
    const address = `10.0.${Math.floor(number / 250)}.${number % 250}`
    addresses.set(owner, address)
    return address
  }
  return {
    perform: (owner, hold) => {
      const address = addressOf(owner)
      const waiting = works.get(address) ?? []
      works.set(address, waiting)
      waiting.push({ hold })
      requests += 1
      const request = { method: 'GET', path: '/checks', body: null } as const
      return upstream.call(request, { authorization: null, address }).then(
        () => (ended += 1),
        (error: unknown) => {
          // the server does not answer calls that never started
          waiting.pop()
          refused += 1
          return error instanceof ControlPlaneUnavailable ? 'away' : error
        },
      )
    },
    // until the server has the maximum number of calls
    settle: async () => {
      do await settleLoop()
      while (begun - ended < Math.min(places, requests - refused - ended - upstream.waiting))
      await settleLoop()
    },
  }
}

export const storeCases = {
  postgresConnections: turnsCase({
    pool: postgresConnections,
    open: () => {
      const { accountSql } = openShares()
      return { perform: (owner, hold) => inTurn(accountSql, owner, hold) }
    },
    refused: busy,
  }),
  lookUps: turnsCase({
    pool: lookUps,
    open: () => {
      const { sql } = openShares()
      return { perform: (owner, hold) => inTurn(sql, owner, hold) }
    },
    refused: busy,
  }),
  targetQuestions: turnsCase({
    pool: targetQuestions,
    open: () => {
      const { targetTurns } = openShares()
      return { perform: (owner, hold) => takeTurn(targetTurns, owner, hold) }
    },
    refused: busy,
  }),
  replays: turnsCase({
    pool: replays,
    open: () => {
      const { replays: turns } = openShares()
      return { perform: (owner, hold) => takeTurn(turns, owner, hold) }
    },
    refused: busy,
  }),
  clickhouseQueries: turnsCase({
    pool: clickhouseQueries,
    open: () => {
      const { clickhouse } = openShares()
      return { perform: (owner, hold) => queryClickHouse({ clickhouse, log }, owner, hold) }
    },
    refused: expect.objectContaining({ refused: 'SV-9002' }),
  }),
  eventStreams: streamsCase('eventStreams', 'eventStreamFloors'),
  eventStreamFloors: streamFloorsCase('eventStreams', 'eventStreamFloors'),
  relayStreams: streamsCase('relayStreams', 'relayStreamFloors'),
  relayStreamFloors: streamFloorsCase('relayStreams', 'relayStreamFloors'),
  gatewayCalls: turnsCase({
    pool: gatewayPools.gatewayCalls,
    open: openGateway,
    refused: 'away',
  }),
} satisfies Partial<Record<keyof typeof requestPools | keyof typeof gatewayPools, FairnessCase>>
