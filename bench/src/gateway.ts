import type { GatewayQuestion } from './gateway/gateway-process.ts'
import { createBenchAccount, createBenchKey } from './harness/bench-checks.ts'
import { gatewayKey } from './harness/bench-app.ts'
import { growthFigure } from './harness/growth.ts'
import type { BenchContext } from './harness/run-bench.ts'
import { withClosers } from './harness/scope.ts'
import {
  reportServed,
  startLoad,
  startServer,
  type Load,
  type Served,
  type Server,
} from './harness/served-load.ts'
import { startApp } from './harness/servers.ts'
import { servicesOf } from './harness/services.ts'
import { median, ratios } from './harness/statistics.ts'
import { withStores } from './harness/stores.ts'
import { takeTurns } from './harness/turns.ts'

const script = new URL('gateway/gateway-process.ts', import.meta.url)
const connections = 16
/** Services in the catalog behind the gateway. */
const [few, some, many] = [10, 1_000, 10_000]

const listMessage = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const callMessage = (services: number) => ({
  ...listMessage,
  method: 'tools/call',
  params: {
    name: 'is_service_down',
    arguments: { service: servicesOf(services)[services - 1]?.name },
  },
})

/** What `tools/list` and `tools/call` cost, beside a hand-written handler and the SDK's own example. */
export const measureGateway = (context: BenchContext): Promise<void> =>
  withStores((stores) =>
    withClosers(async (keep) => {
      const apiKey = await createBenchKey(stores.sql, await createBenchAccount(stores.sql, 'gateway'))
      const upstream = async (services: number): Promise<string> =>
        `${keep(await startApp(stores, { services })).origin}/v1`
      const serve = async (kind: GatewayKind, apiUrl: string) => keep(await startMcp(kind, apiUrl))
      const small = await upstream(few)
      const gateway = await serve('gateway', small)
      const middle = await serve('gateway', await upstream(some))
      const large = await serve('gateway', await upstream(many))
      const hand = await serve('hand', small)
      const example = await serve('example', small)

      const load = keep(startLoad())
      const list = (server: Server) => prepareMessage(load, server, '/mcp', apiKey, listMessage)
      const call = (server: Server, services: number) => prepareCall(load, server, apiKey, services)
      const contenders = {
        list: await list(gateway),
        list_by_hand: await list(hand),
        list_sdk_example: await list(example),
        call: await call(gateway, few),
        call_by_hand: await call(hand, few),
        call_sdk_example: await call(example, few),
        call_of_1000: await call(middle, some),
        call_of_10000: await call(large, many),
      }
      const { quick, log } = context
      log(`gateway: warming up, then ${connections} connections on each in turn`)
      for (const run of Object.values(contenders)) await run(2)
      const turns = Object.fromEntries(Object.entries(contenders).map(([name, run]) => [name, () => run(1)]))
      const rounds = await takeTurns(
        quick ? 3 : 12,
        turns as Record<keyof typeof contenders, () => Promise<Served>>,
        (n) => (n % 3 === 0 ? log(`gateway, round ${n}`) : undefined),
      )
      report(context, rounds)
    }),
  )

type GatewayKind = Exclude<GatewayQuestion['kind'], 'usage'>

/** Starts an MCP server in front of an API. */
export const startMcp = (kind: GatewayKind, apiUrl: string) =>
  startServer(script, { kind, apiUrl, gatewayKey } satisfies GatewayQuestion)

/** Prepares calls of `is_service_down` for the last of these services. */
export const prepareCall = (load: Load, server: Server, apiKey: string, services: number) =>
  prepareMessage(load, server, '/public', apiKey, callMessage(services))

const prepareMessage = (load: Load, server: Server, path: string, apiKey: string, message: object) => {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${apiKey}`,
  }
  return load.prepare(server, [{ path, headers, body: JSON.stringify(message) }], connections)
}

const report = ({ report }: BenchContext, rounds: readonly Readonly<Record<string, Served>>[]): void => {
  const runsOf = (name: string): Served[] =>
    rounds.flatMap((round) => (round[name] === undefined ? [] : [round[name]]))
  for (const name of Object.keys(rounds[0] ?? {})) reportServed({ report }, name, runsOf(name))
  const cpuOf = (name: string): number[] => runsOf(name).map(({ cpuMs }) => cpuMs)
  for (const [figure, of, to, aim] of [
    ['list_to_by_hand', 'list', 'list_by_hand', { atMost: 3 }],
    ['list_sdk_example_to_ours', 'list_sdk_example', 'list', { atLeast: 6 }],
    ['call_to_by_hand', 'call', 'call_by_hand', { atMost: 2 }],
    ['call_sdk_example_to_ours', 'call_sdk_example', 'call', { atLeast: 6 }],
    ['call_growth_10_to_10000', 'call_of_10000', 'call', { atMost: 1.1 }],
  ] as const) {
    report({ figure, runs: ratios(cpuOf(of), cpuOf(to)), unit: 'ratio of CPU', aim })
  }
  report(
    growthFigure({
      figure: 'call_cpu',
      of: 'MCP `tools/call`',
      in: 'services in the catalog',
      unit: 'CPU ms',
      steps: [
        { work: few, cost: median(cpuOf('call')) },
        { work: some, cost: median(cpuOf('call_of_1000')) },
        { work: many, cost: median(cpuOf('call_of_10000')) },
      ],
    }),
  )
}
