// A first `npm start` on a machine without any network but its loopback, with the built-in catalog, checks of names
// and addresses outside, a member, a webhook and a rule for everything. Prints what was sent as JSON.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as elapse } from 'node:timers/promises'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import { ok, startReceiver } from '@probe-mesh/control-plane/src/notifications/outgoing/testing'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { createMeshProcess } from '@probe-mesh/infra/testing/mesh-process'
import { createChecks } from '../../testing/create-checks.ts'
import { actAs } from '../../web/system/client.ts'

export type QuietReport = {
  /** Requests at a webhook of the account, without its test, and at the channel that the operator chose. */
  received: { account: string[]; operator: string[] }
  /** Messages in the database by receiver: an account's channels and members, or the operator's channel. */
  deliveries: { account: number; operator: number }
  /** Kinds of faults that were reported, as the database had them every 2 s. */
  notices: string[]
  /** Checks, and services of the catalog, that were ever down. */
  down: number
  /** Readings that say anything about a target. */
  measured: number
}

const lookMs = 2_000

const [folder = '', minutes = '60'] = process.argv.slice(2)
execFileSync('ip', ['link', 'set', 'lo', 'up'])
const [hook, chosen] = await Promise.all([startReceiver(ok), startReceiver(ok)])
const environment = {
  CATALOG_FILE: '',
  CANARIES: '',
  CHANNEL_ALLOW: '127.0.0.0/8',
  CHROMIUM: 'off',
  LOG_LEVEL: 'error',
}
const dataDir = join(folder, 'data')
const first = await createMeshProcess({ dataDir, environment })
await first.start()
const owner = await first.credentials()
const act = await actAs(new URL(first.apiUrl).origin, owner)
const channelOf = async (name: string, url: string): Promise<string> => {
  const { id } = await act('createChannel', { body: { type: 'json', name, config: { url } } })
  await act('testChannel', { params: { id } })
  return id
}
await channelOf('hook', hook.url)
const operatorChannel = await channelOf('operator', chosen.url)
const { alertRules } = await act('listAlertRules', {})
for (const { id } of alertRules) await act('deleteAlertRule', { params: { id } })
const { notificationChannels } = await act('listChannels', {})
const channelIds = notificationChannels.flatMap(({ id, name }) => (name === 'hook' ? [id] : []))
const statuses = ['down', 'degraded', 'stale'] as const
await act('createAlertRule', { body: { name: 'all', statuses: [...statuses], channelIds, emailUsers: true } })
const inputs = ['https://example.com/', 'https://shop.example.org/', 'https://93.184.215.14/'].map((url) => ({
  name: url,
  url,
}))
await createChecks({ apiUrl: first.apiUrl, apiKey: owner.apiKey }, inputs)
await first.stop()
const testsOf = { hook: hook.received.length, chosen: chosen.received.length }

const mesh = await createMeshProcess({
  dataDir,
  environment: { ...environment, OPERATOR_CHANNEL: operatorChannel },
})
await mesh.start()
const client = createApiClient({ apiUrl: mesh.apiUrl, apiKey: owner.apiKey })
const sql = connectPostgres((await mesh.stores()).databaseUrl, { connectionsMax: 1 })
const notices: string[] = []
const endMs = Date.now() + Number(minutes) * 60_000
while (Date.now() < endMs) {
  const rows = await sql<{ what: string; since: Date }[]>`select what, since from mesh_notices order by what`
  for (const { what, since } of rows) {
    const key = `${what} ${since.toISOString()}`
    if (!notices.includes(key)) notices.push(key)
  }
  await elapse(lookMs)
}
const [counted] = await sql<{ account: number; operator: number; down: number }[]>`
  select count(*) filter (where channel_id is distinct from ${operatorChannel} and cause not like 'test:%')::int
      as account,
    count(*) filter (where channel_id = ${operatorChannel} and cause like 'mesh:%')::int as operator,
    (select count(*) from flips where to_status = 'down')::int as down
  from deliveries`
const { checks } = await client.call('listChecks', { query: {} }).then((answer) => {
  if (!answer.ok) throw new Error(answer.problem.message)
  return answer.value
})
let measured = 0
for (const { id } of checks) {
  const stored = await client.call('listReadings', { params: { id }, query: { limit: 1_000 } })
  if (stored.ok) measured += stored.value.readings.filter(({ verdict }) => verdict !== 'unmeasured').length
}
const titles = (bodies: readonly { body: string }[]): string[] =>
  bodies.map(({ body }) => (JSON.parse(body) as { data: { title: string } }).data.title)
const report: QuietReport = {
  received: {
    account: titles(hook.received.slice(testsOf.hook)),
    operator: titles(chosen.received.slice(testsOf.chosen)),
  },
  deliveries: { account: counted?.account ?? -1, operator: counted?.operator ?? -1 },
  notices,
  down: counted?.down ?? -1,
  measured,
}
await sql.end()
await mesh.stop()
await Promise.all([hook.close(), chosen.close()])
console.log(JSON.stringify(report))
process.exit(0)
