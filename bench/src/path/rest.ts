import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { regionsDefault } from '@probe-mesh/contracts/reading/regions'
import { createKey } from '@probe-mesh/control-plane/accounts/create-key'
import { insertRevision } from '@probe-mesh/control-plane/check-record/check-revisions-store'
import { insertCheck } from '@probe-mesh/control-plane/check-record/checks-store'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { newRegionState } from '@probe-mesh/control-plane/status/state'
import type { RegionState } from '@probe-mesh/control-plane/status/state'
import type { Stores } from '@probe-mesh/infra/start/stores/stores'
import { startChild } from '../child.ts'
import type { Child } from '../child.ts'
import { withFolder } from '../folder.ts'
import type { BenchContext } from '../run-bench.ts'
import { loadServer } from '../served-load.ts'
import type { Run } from '../served-load.ts'
import { median } from '../statistics.ts'
import { aCheck, createBenchAccount } from './bench-checks.ts'
import type { RestQuestion } from './rest-process.ts'

const script = new URL('rest-process.ts', import.meta.url)
const connections = 32
const warmSeconds = 3

type Server = { child: Child; url: string; headers: Record<string, string> }
type Pair = { app: Run; constant: Run }

/** `GET /v1/checks/:id` of the real app, beside the same Fastify answering the same bytes. */
export const measureRest = (context: BenchContext & { stores: Stores; sql: Sql }): Promise<void> =>
  withFolder(async (folder) => {
    const { stores, sql, quick, say } = context
    const { checkId, apiKey } = await createReadCheck(sql)
    const [app, constant] = [startChild(script), startChild(script)]
    try {
      const { databaseUrl, clickhouseUrl } = stores
      const root = await app.ask<string>({
        kind: 'app',
        databaseUrl,
        clickhouseUrl,
        folder,
      } satisfies RestQuestion)
      const path = `/v1/checks/${checkId}`
      const headers = { authorization: `Bearer ${apiKey}` }
      const body = await bodyOf(`${root}${path}`, headers)
      const peer = await constant.ask<string>({ kind: 'constant', body } satisfies RestQuestion)
      const servers = {
        app: { child: app, url: `${root}${path}`, headers },
        constant: { child: constant, url: `${peer}${path}`, headers },
      }
      const pairs: Pair[] = []
      say(`rest: warming up, then ${connections} connections on each in turn`)
      await load(servers.app, warmSeconds)
      await load(servers.constant, warmSeconds)
      for (let n = 1; n <= (quick ? 2 : 7); n++) {
        say(`rest, pair ${n}`)
        const seconds = quick ? 2 : 4
        pairs.push({
          app: await load(servers.app, seconds),
          constant: await load(servers.constant, seconds),
        })
      }
      report(context, pairs, Buffer.byteLength(body))
    } finally {
      await Promise.all([app.close(), constant.close()])
    }
  })

/** A check that is operational in four regions, and a key that may read it. */
const createReadCheck = async (sql: Sql): Promise<{ checkId: string; apiKey: string }> => {
  const accountId = await createBenchAccount(sql, 'rest')
  const check = aCheck(uuidv7(Date.now()), accountId)
  const regions = Object.fromEntries(regionsDefault.map((region) => [region, upState()]))
  await sql.begin(async (tx) => {
    await insertCheck(tx, check)
    await insertRevision(tx, check)
    await tx`
      update check_states set status = 'operational', status_since = ${new Date()}, version = 1,
        regions = ${tx.json(regions)}
      where check_id = ${check.id}`
  })
  const made = await createKey({ sql, now: Date.now }, { accountId, name: 'rest', scope: 'read' })
  if (isRefusal(made)) throw new Error(made.message)
  return { checkId: check.id, apiKey: made.apiKey }
}

const upState = (): RegionState => ({
  ...newRegionState,
  verdict: 'up',
  latencyMs: 181.4,
  timings: { dnsMs: 2.1, connectMs: 19.8, tlsMs: 31.4, ttfbMs: 120.2, transferMs: 7.9 },
  measuredAt: Date.now(),
  goods: 2,
})

const bodyOf = async (url: string, headers: Record<string, string>): Promise<string> => {
  const response = await fetch(url, { headers })
  if (!response.ok) throw new Error(`the check answers ${response.status}`)
  return await response.text()
}

const load = ({ child, url, headers }: Server, seconds: number): Promise<Run> =>
  loadServer(child, { url, headers, connections, seconds })

const report = ({ report }: BenchContext, pairs: readonly Pair[], bytes: number): void => {
  for (const [name, of] of [
    ['rest_get_check', ({ app }: Pair) => app],
    ['rest_constant', ({ constant }: Pair) => constant],
  ] as const) {
    const runs = pairs.map((pair) => of(pair).requestsPerSecond)
    report({
      figure: `${name}_requests_per_second`,
      value: median(runs),
      unit: 'requests/s',
      context: {
        runs,
        bytes,
        connections,
        serverBusy: median(pairs.map((pair) => of(pair).busy)),
        latencyP99Ms: median(pairs.map((pair) => of(pair).latencyP99Ms)),
      },
    })
    const cpu = pairs.map((pair) => of(pair).cpuMs)
    report({
      figure: `${name}_cpu_per_request`,
      value: median(cpu),
      unit: 'CPU ms',
      context: { runs: cpu },
    })
  }
  const ratios = pairs.map(
    ({ app, constant }) => app.requestsPerSecond / constant.requestsPerSecond,
  )
  report({
    figure: 'rest_get_check_to_constant',
    value: median(ratios),
    unit: 'ratio',
    aim: { atLeast: 0.6 },
    context: { runs: ratios },
  })
  const cpuRatios = pairs.map(({ app, constant }) => constant.cpuMs / app.cpuMs)
  report({
    figure: 'rest_get_check_to_constant_per_cpu',
    value: median(cpuRatios),
    unit: 'ratio',
    aim: { atLeast: 0.6 },
    context: { runs: cpuRatios },
  })
}
