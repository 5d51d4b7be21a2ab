// Inside the company: a private agent of the mesh outside, and a mesh of its own that sends messages and telemetry
// outside. All that leaves goes through the proxy.
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as elapse } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import { createMeshProcess } from '@probe-mesh/infra/testing/mesh-process'
import { createEntryPart } from '@probe-mesh/infra/testing/processes/entry-part'
import { runService } from '../../cli/testing/run-service.ts'
import { actAs } from '../../web/system/client.ts'
import { at, names, proxyPort, proxyUser, targetPort, type Given } from '../stage.ts'

const { folder } = JSON.parse(process.argv[2] ?? '') as Given
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
await lines.next()

let hits = 0
const target = createServer((_, response) => {
  hits += 1
  response.end('ok')
}).listen(targetPort, at.target)
await once(target, 'listening')

const password = encodeURIComponent(proxyUser.password)
const HTTPS_PROXY = `http://${proxyUser.name}:${password}@${at.proxy}:${proxyPort}`
const caFile = join(folder, 'ca.pem')
const network = { HTTPS_PROXY, HTTP_PROXY: HTTPS_PROXY, CA_FILE: caFile }

const tokenFile = join(folder, 'office.token')
const script = fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url))
const enrolled = await runService(script, ['agents', 'enroll', 'office', '--out', tokenFile], {
  node: process.execPath,
  environment: {
    SERVICE_API_URL: `https://${names.mesh}/v1`,
    SERVICE_API_KEY: await readFile(join(folder, 'key'), 'utf8'),
    HTTPS_PROXY,
    NODE_EXTRA_CA_CERTS: caFile,
  },
})
await mkdir(join(folder, 'logs'))
const agent = createEntryPart({
  name: 'office',
  entry: 'agent',
  port: 9_464,
  folder,
  environment: {
    ...network,
    MESH_URL: `https://${names.mesh}`,
    AGENT_CREDENTIALS: tokenFile,
    PRIVATE_TARGETS: at.target,
    TARGET_ALLOW: '',
    CANARIES: 'none',
    JOURNAL: join(folder, 'journal'),
  },
})
const mesh = await createMeshProcess({
  dataDir: join(folder, 'own'),
  environment: {
    ...network,
    PROXY_NAMES: names.hooks,
    REGIONS: 'fra',
    TARGET_ALLOW: `${at.target}/32`,
    CANARIES: 'none',
    CHROMIUM: 'off',
    BUDGET_SCALE: '1000',
  },
})
process.once('exit', () => void mesh.kill().catch(() => undefined))
await agent.start()
console.log(JSON.stringify({ enrolled }))
await mesh.start()

const credentials = await mesh.credentials()
const api = createApiClient({ apiUrl: mesh.apiUrl, apiKey: credentials.apiKey })
const outsideUrl = `http://${at.probed}/`
const ids: string[] = []
for (const url of [`http://${at.target}:${targetPort}/own`, outsideUrl]) {
  const made = await api.call('createCheck', {
    body: { name: url, url, intervalSeconds: 10, regions: ['fra'] },
  })
  if (!made.ok) throw new Error(JSON.stringify(made.problem))
  ids.push(made.value.id)
}
const act = await actAs(new URL(mesh.apiUrl).origin, credentials)

await lines.next()
// pushes that failed in the cut would wait longer and longer
await act('updateTelemetry', {
  body: { endpoint: `https://${at.hooks}`, metrics: true, traces: true },
} as never)
const channelTests: unknown[] = []
for (const host of [names.hooks, at.hooks]) {
  const body = { type: 'json', name: host, config: { url: `https://${host}/hook` } } as const
  const made = await api.call('createChannel', { body } as never)
  if (!made.ok) throw new Error(JSON.stringify(made))
  const { id } = made.value as { id: string }
  const tested = await api.call('testChannel', { params: { id } } as never)
  channelTests.push(tested.ok ? tested.value : tested)
}
// readings of the host outside, and then at least one push of metrics and of traces
const [, outsideId = ''] = ids
let outside: string[] = []
for (let round = 0; round < 150 && outside.length === 0; round++) {
  await elapse(1_000)
  const read = await api.call('listReadings', { params: { id: outsideId } } as never)
  const { readings } = (read.ok ? read.value : { readings: [] }) as { readings: { verdict: string }[] }
  outside = readings.map(({ verdict }) => verdict)
}
await lines.next()
await agent.stop()
await mesh.stop()
console.log(JSON.stringify({ channelTests, outside, hits }))
process.exit(0)
