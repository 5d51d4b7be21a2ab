import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { regionsDefault } from '@probe-mesh/contracts/reading/regions'
import { insertRevision } from '@probe-mesh/control-plane/src/records/check/check-revisions-store'
import { insertCheck } from '@probe-mesh/control-plane/src/records/check/checks-store'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { newRegionState, type RegionState } from '@probe-mesh/control-plane/src/status/state'
import { aCheck, createBenchAccount, createBenchKey } from '../harness/bench-checks.ts'
import type { BenchContext } from '../harness/run-bench.ts'
import { withClosers, type Keep } from '../harness/scope.ts'
import { reportServed, startLoad, type Load, type Served, type Server } from '../harness/served-load.ts'
import { bodyOf, startApp, startConstant } from '../harness/servers.ts'
import { ratios } from '../harness/statistics.ts'
import type { BenchStores } from '../harness/stores.ts'
import { takeTurns } from '../harness/turns.ts'

const connections = 32
const warmSeconds = 3

/** `GET /v1/checks/:id` of the real app, beside the same Fastify that answers with the same bytes. */
export const measureRest = (context: BenchContext, stores: BenchStores): Promise<void> =>
  withClosers(async (keep) => {
    const { quick, log, report } = context
    const app = keep(await startApp(stores))
    const { ofApp, ofConstant } = await prepareRest(stores.sql, app, keep(startLoad()), keep)
    log(`rest: warming up, then ${connections} connections on each in turn`)
    await ofApp(warmSeconds)
    await ofConstant(warmSeconds)
    const seconds = quick ? 2 : 4
    const rounds = await takeTurns(
      quick ? 2 : 7,
      { app: () => ofApp(seconds), constant: () => ofConstant(seconds) },
      (n) => log(`rest, round ${n}`),
    )
    const [apps, constants] = [rounds.map((round) => round.app), rounds.map((round) => round.constant)]
    reportServed(context, 'rest_get_check', apps)
    reportServed(context, 'rest_constant', constants)
    const aim = { atLeast: 0.6 }
    const [rateOf, cpuOf] = [({ perSecond }: Served) => perSecond, ({ cpuMs }: Served) => cpuMs]
    report({
      figure: 'rest_get_check_to_constant',
      runs: ratios(apps.map(rateOf), constants.map(rateOf)),
      unit: 'ratio',
      aim,
    })
    report({
      figure: 'rest_get_check_to_constant_per_cpu',
      runs: ratios(constants.map(cpuOf), apps.map(cpuOf)),
      unit: 'ratio',
      aim,
    })
  })

/** Prepares requests for one check to this app, and to a constant. */
export const prepareRest = async (sql: Sql, app: Server, load: Load, keep: Keep) => {
  const { checkId, apiKey } = await createReadCheck(sql)
  const headers = { authorization: `Bearer ${apiKey}` }
  const path = `/v1/checks/${checkId}`
  const body = await bodyOf(`${app.origin}${path}`, headers)
  const constant = keep(await startConstant({ path: '/v1/checks/:id', body }))
  const prepare = (server: Server) => load.prepare(server, [{ path, headers }], connections)
  return { ofApp: await prepare(app), ofConstant: await prepare(constant) }
}

/** Creates a check that is operational in four regions, and a key that may read it. */
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
  return { checkId: check.id, apiKey: await createBenchKey(sql, accountId) }
}

const upState = (): RegionState => ({
  ...newRegionState,
  verdict: 'up',
  latencyMs: 181.4,
  timings: { dnsMs: 2.1, connectMs: 19.8, tlsMs: 31.4, ttfbMs: 120.2, transferMs: 7.9 },
  measuredAt: Date.now(),
  goods: 2,
})
