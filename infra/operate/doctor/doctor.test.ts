import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { testFolder } from '../../testing/folder.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parseGatewayConfig } from '@probe-mesh/mcp-gateway/config'
import pino from 'pino'
import { Registry } from 'prom-client'
import { runAdmin } from '../admin/admin.ts'
import { startGateway } from '../../start/processes/start-gateway.ts'
import { createTestClickHouse } from '../../testing/clickhouse.ts'
import { startTestAllInOne, type TestAllInOne } from '../../testing/all-in-one.ts'
import { emptyCatalog } from '../../testing/empty-catalog.ts'
import { startMailServer, type MailServer } from '../../testing/mail-server.ts'
import { startTestNats, type TestNats } from '../../testing/nats.ts'
import { writePrivateFiles } from '../../start/processes/private-files.ts'
import type { Finding } from './findings/finding.ts'

/** A system on real servers, which the doctor examines while each of them works, is stopped, or is silent. */
const folder = testFolder('probe-mesh-doctor-')
let nats: TestNats
let mail: MailServer
let system: TestAllInOne
let environment: Record<string, string>
/** A server that accepts connections and sends nothing. */
let silent: Server
let silentPort: number

const umask = process.umask()
beforeAll(async () => {
  // like the programs: files of this process are readable by its user only
  writePrivateFiles()
  ;[nats, mail] = await Promise.all([startTestNats(), startMailServer()])
  system = await startTestAllInOne({
    environment: { NATS_URL: nats.url, REGIONS: 'fra' },
    catalog: emptyCatalog,
  })
  silent = createServer()
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  silentPort = (silent.address() as AddressInfo).port
  environment = {
    DATABASE_URL: system.databaseUrl,
    CLICKHOUSE_URL: system.clickhouseUrl,
    NATS_URL: nats.url,
    PUBLIC_URL: system.apiUrl.replace(/\/v1$/, ''),
    SMTP_URL: mail.smtpUrl,
    MAIL_FROM: 'mesh@example.org',
    REGIONS: 'fra',
    DATA_DIR: system.dataDir,
    NATS_KEYS: join(folder, 'keys'),
  }
})
afterAll(async () => {
  process.umask(umask)
  silent?.close()
  await system?.close()
  await Promise.all([nats?.close(), mail?.close().catch(() => undefined)])
})

const doctor = async (over: Record<string, string> = {}) => {
  const printed = { out: '', error: '' }
  const code = await runAdmin(
    ['doctor', '--json'],
    // no other instance of this machine listens there
    { PORT: '1', ...environment, ...over },
    {
      out: (text) => (printed.out += text),
      error: (text) => (printed.error += text),
    },
  )
  expect(printed.error).toBe('')
  const { findings } = JSON.parse(printed.out) as { findings: Finding[] }
  const broken = findings.filter(({ level }) => level === 'broken').map(({ topic }) => topic)
  // uses the disk of this machine
  return {
    code,
    findings,
    out: printed.out,
    broken: [...new Set(broken)].filter((topic) => topic !== 'disk'),
  }
}

test('reports who can read the metrics, and finds an address that shows them to everyone', async () => {
  const metricsOf = (findings: Finding[]) =>
    findings.flatMap(({ topic, level, message }) => (topic === 'metrics' ? [{ level, message }] : []))
  expect(metricsOf((await doctor()).findings)).toEqual([
    { level: 'ok', message: '/metrics answers only with the token' },
  ])
  const { findings } = await doctor({ DATA_DIR: folder })
  expect(metricsOf(findings)).toMatchObject([{ level: 'warning' }])
  // like servers of versions without a token
  const open = createHttpServer((request, response) => {
    if (request.url === '/readyz') response.end('{"ready":true,"notReady":[]}')
    else response.end('# TYPE figures_total counter')
  })
  await new Promise<void>((resolve) => open.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = open.address() as AddressInfo
    const found = await doctor({ PUBLIC_URL: `http://127.0.0.1:${port}` })
    expect(metricsOf(found.findings)).toMatchObject([{ level: 'broken' }])
    expect(found.code).toBe(1)
  } finally {
    open.close()
  }
})

test('lists the files that other users of the machine can read', async () => {
  const data = await mkdtemp(join(folder, 'data-'))
  await mkdir(join(data, 'assignments'), { mode: 0o700 })
  await writeFile(join(data, 'credentials.json'), '{}', { mode: 0o600 })
  const filesOf = async () =>
    (await doctor({ DATA_DIR: data })).findings.filter(({ topic }) => topic === 'files')
  expect(await filesOf()).toMatchObject([{ level: 'ok' }])
  await chmod(join(data, 'assignments'), 0o755)
  await chmod(join(data, 'credentials.json'), 0o644)
  const [found] = await filesOf()
  expect(found).toMatchObject({
    level: 'broken',
    message: expect.stringMatching(/data-\w+\/assignments, .*data-\w+\/credentials\.json\.$/),
  })
})

test('finds nothing broken in a healthy system, and names every part', async () => {
  await vi.waitFor(async () => expect((await doctor()).broken).toEqual([]), { interval: 200 })
  const { findings, code } = await doctor()
  expect(code).toBe(0)
  const topics = new Set(findings.map(({ topic }) => topic))
  for (const topic of [
    'postgres',
    'clickhouse',
    'nats',
    'web',
    'mail',
    'disk',
    'clock',
    'lag',
    'agents',
    'partitions',
    'quarantine',
    'dead letters',
    'put aside',
    'migrations',
    'system',
    'secrets key',
    'readings',
    'outbox',
  ]) {
    expect(topics, topic).toContain(topic)
  }
  expect(findings.find(({ topic }) => topic === 'agents')?.message).toMatch(/^fra: fra-local/)
  expect(findings.filter(({ topic }) => topic === 'lag')).toHaveLength(3)
})

test('examines no data folder of a control plane with external servers', async () => {
  const { findings } = await doctor({ DATA_DIR: '' })
  expect(findings.map(({ topic }) => topic)).toContain('postgres')
  // a disk of ClickHouse may be named
  const ofFolder = findings.filter((one) => JSON.stringify(one).includes('DATA_DIR'))
  expect([...ofFolder, ...findings.filter(({ topic }) => topic === 'files')]).toEqual([])
})

const refused = 'http://127.0.0.1:1'
test('checks the port itself besides PUBLIC_URL: finds another program, or a wrong PUBLIC_URL', async () => {
  expect((await doctor({ PORT: String(mail.port) })).broken).toEqual(['port'])
  const { port } = new URL(system.apiUrl)
  const { broken, findings } = await doctor({ PORT: port, PUBLIC_URL: refused })
  expect(broken).toEqual(['web'])
  expect(findings.find(({ topic }) => topic === 'web')?.next).toContain(`PUBLIC_URL=http://127.0.0.1:${port}`)
})

test.each<[string, () => Record<string, string>, string]>([
  ['Postgres is away', () => ({ DATABASE_URL: 'postgres://u:hidden@127.0.0.1:1/x' }), 'postgres'],
  ['ClickHouse is away', () => ({ CLICKHOUSE_URL: 'http://u:hidden@127.0.0.1:1/x' }), 'clickhouse'],
  ['NATS is away', () => ({ NATS_URL: 'nats://u:hidden@127.0.0.1:1' }), 'nats'],
  ['the web is away', () => ({ PUBLIC_URL: refused }), 'web'],
  ['something else answers there', () => ({ PUBLIC_URL: system.mcpUrl.replace(/\/mcp$/, '') }), 'web'],
  ['the mail server is away', () => ({ SMTP_URL: 'smtp://u:hidden@127.0.0.1:1' }), 'mail'],
  ['a region has no agent', () => ({ REGIONS: 'fra,nrt' }), 'agents'],
  ['credentials cannot be read', () => ({ NATS_CREDENTIALS: join(folder, 'none') }), 'nats,credentials'],
])('where %s, that is what is broken', async (_, over, topic) => {
  const { broken, code, out, findings } = await doctor(over())
  expect([broken.join(','), code]).toEqual([topic, 1])
  expect(out).not.toContain('hidden')
  for (const { level, next } of findings) if (level !== 'ok') expect(next).toMatch(/\w/)
})

test('finds a gateway whose GATEWAY_KEY the control plane refuses, and a working one', async () => {
  const start = async (key: string) => {
    const parsed = parseGatewayConfig({
      MCP_PORT: '0',
      PUBLIC_URL: environment['PUBLIC_URL'],
      GATEWAY_KEY: key,
    })
    if (!parsed.ok) throw new Error(parsed.problems.join())
    const log = pino({ level: 'silent' })
    return startGateway(parsed.config, { registry: new Registry(), log, now: Date.now })
  }
  const gateway = await start('a key that no control plane has, of 32 characters'.replaceAll(' ', '-'))
  try {
    const { broken, findings } = await doctor({ MCP_URL: gateway.address })
    expect(broken).toEqual(['gateway'])
    expect(findings.find(({ topic }) => topic === 'gateway')?.next).toContain('same GATEWAY_KEY')
  } finally {
    await gateway.close()
  }
  const own = await doctor({ MCP_URL: system.mcpUrl.replace(/\/mcp$/, '') })
  expect(own.findings.find(({ topic }) => topic === 'gateway')).toMatchObject({ level: 'ok' })
})

test('finds another SECRETS_KEY and a ClickHouse of another system', async () => {
  const key = await doctor({ SECRETS_KEY: 'another key, which has 32 characters or more' })
  expect([key.broken, key.code]).toEqual([['secrets key'], 1])
  const other = await createTestClickHouse()
  try {
    const { broken, findings } = await doctor({ CLICKHOUSE_URL: other.url })
    expect(broken).toContain('system')
    expect(findings.find(({ topic }) => topic === 'system')).toMatchObject({
      message: expect.stringContaining('ClickHouse is empty'),
      next: expect.stringContaining('Set CLICKHOUSE_URL'),
    })
  } finally {
    await other.close()
  }
})

test('examines every server of a cluster, with its configuration', async () => {
  const away = new URL(system.clickhouseUrl)
  away.host = '127.0.0.1:1'
  const { broken, findings, out } = await doctor({
    CLICKHOUSE_CLUSTER: 'mesh',
    CLICKHOUSE_URL: `${system.clickhouseUrl};${away.href}`,
  })
  expect(broken).toEqual(['clickhouse'])
  const messages = findings.filter(({ topic }) => topic === 'clickhouse').map((one) => one.message)
  const here = new URL(system.clickhouseUrl).host
  expect(messages).toEqual([
    expect.stringMatching(`ClickHouse at ${here} \\d+.* answers`),
    expect.stringMatching(`ClickHouse at ${here}: its macro shard is not set`),
    expect.stringMatching(`ClickHouse at ${here}: its macro replica is not set`),
    expect.stringMatching(`ClickHouse at ${here}: its remote_servers list 0 shards of mesh`),
    expect.stringMatching('ClickHouse at 127.0.0.1:1 \\(shard 2\\) does not answer'),
  ])
  expect(findings.find(({ topic }) => topic === 'readings')?.level).not.toBe('broken')
  expect(out).toContain('docs/clickhouse-cluster.md')
})

test('waits for silent servers in parallel, without delay for the rest', async () => {
  const at = `127.0.0.1:${silentPort}`
  const { findings } = await doctor({
    DATABASE_URL: `postgres://u:p@${at}/x`,
    CLICKHOUSE_URL: `http://u:p@${at}/x`,
    SMTP_URL: `smtp://${at}`,
    PUBLIC_URL: `http://${at}`,
  })
  // warnings, while the machine that runs the doctor is busy
  const silent = new Set(findings.filter(({ level }) => level !== 'ok').map(({ topic }) => topic))
  expect([...silent]).toEqual(expect.arrayContaining(['postgres', 'clickhouse', 'web', 'mail']))
})

test('reports stopped servers', async () => {
  await mail.close()
  expect((await doctor()).broken).toEqual(['mail'])
  await nats.kill()
  const { broken } = await doctor()
  expect(broken).toEqual(expect.arrayContaining(['nats', 'mail']))
  expect(broken).not.toContain('postgres')
})
