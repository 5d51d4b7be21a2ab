import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { createKey } from '@probe-mesh/control-plane/accounts/create-key'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { migratePostgres } from '@probe-mesh/control-plane/stores/postgres/migrate'
import { silentLog } from '@probe-mesh/infra/start/embedded/log'
import { startStores } from '@probe-mesh/infra/start/stores/stores'
import type { Stores } from '@probe-mesh/infra/start/stores/stores'
import { gatewayKey } from './answers/gateway-key.ts'
import { servicesOf } from './answers/names.ts'
import { startApp } from './answers/servers.ts'
import { startChild } from './child.ts'
import { withFolder } from './folder.ts'
import type { GatewayQuestion } from './gateway/gateway-process.ts'
import { reportGateway } from './gateway/report.ts'
import type { Round, Server } from './gateway/report.ts'
import { createBenchAccount } from './path/bench-checks.ts'
import type { BenchContext } from './run-bench.ts'
import { loadServer } from './served-load.ts'
import type { Run } from './served-load.ts'

const script = new URL('gateway/gateway-process.ts', import.meta.url)
const connections = 16
/** Services of the catalog behind the gateway. */
const [few, some, many] = [10, 1_000, 10_000]

/** What listing and calling a tool cost, beside a handler by hand and the SDK's own example. */
export const measureGateway = (context: BenchContext): Promise<void> =>
  withFolder(async (folder) => {
    const stores = await startStores({ dataDir: folder, log: silentLog })
    const closers: (() => Promise<unknown>)[] = [() => stores.close()]
    try {
      const authorization = `Bearer ${await createReadKey(stores)}`
      const upstream = async (services: number): Promise<string> => {
        const app = await startApp({ stores, folder, services, addressesAreNamed: false })
        closers.unshift(() => app.child.close())
        return `http://127.0.0.1:${app.port}/v1`
      }
      const serverOf = async (
        kind: 'gateway' | 'hand' | 'example',
        apiUrl: string,
      ): Promise<Server> => {
        const child = startChild(script)
        closers.unshift(() => child.close())
        const question: GatewayQuestion = { kind, apiUrl, gatewayKey }
        return { child, url: await child.ask<string>(question), authorization }
      }
      const [small, middle, large] = [
        await upstream(few),
        await upstream(some),
        await upstream(many),
      ]
      const servers = {
        gateway: await serverOf('gateway', small),
        some: await serverOf('gateway', middle),
        many: await serverOf('gateway', large),
        hand: await serverOf('hand', small),
        example: await serverOf('example', small),
      }
      const { quick, say } = context
      say(`gateway: warming up, then ${connections} connections on each in turn`)
      await measureRound(servers, 2)
      const rounds: Round[] = []
      for (let n = 1; n <= (quick ? 3 : 12); n++) {
        if (n % 3 === 0) say(`gateway, round ${n}`)
        rounds.push(await measureRound(servers, 1))
      }
      reportGateway(context, rounds)
    } finally {
      for (const close of closers) await close()
    }
  })

const createReadKey = async ({ databaseUrl }: Stores): Promise<string> => {
  const sql = connectPostgres(databaseUrl, { connectionsMax: 1 })
  try {
    await migratePostgres(sql)
    const accountId = await createBenchAccount(sql, 'gateway')
    const context = { sql, now: Date.now }
    const made = await createKey(context, { accountId, name: 'gateway', scope: 'read' })
    if (isRefusal(made)) throw new Error(made.message)
    return made.apiKey
  } finally {
    await sql.end()
  }
}

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const call = (services: number) => ({
  ...list,
  method: 'tools/call',
  params: {
    name: 'is_service_down',
    arguments: { service: servicesOf(services)[services - 1]?.name },
  },
})

/** The list with a key that is known, the call without one. */
const measureRound = async (
  {
    gateway,
    some: middle,
    many: large,
    hand,
    example,
  }: Record<'gateway' | 'some' | 'many' | 'hand' | 'example', Server>,
  seconds: number,
): Promise<Round> => ({
  listGateway: await load(gateway, '/mcp', list, seconds),
  listHand: await load(hand, '/mcp', list, seconds),
  listExample: await load(example, '/mcp', list, seconds),
  callGateway: await load(gateway, '/public', call(few), seconds),
  callHand: await load(hand, '/public', call(few), seconds),
  callExample: await load(example, '/public', call(few), seconds),
  callSome: await load(middle, '/public', call(some), seconds),
  callMany: await load(large, '/public', call(many), seconds),
})

const load = (server: Server, path: string, message: object, seconds: number): Promise<Run> =>
  loadServer(server.child, {
    url: server.url + path,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: server.authorization,
    },
    post: JSON.stringify(message),
    connections,
    seconds,
  })
