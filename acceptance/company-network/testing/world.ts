// The world outside of a company: a mesh behind TLS, receivers, and the company's proxy. It starts the company in a
// network namespace of its own, which reaches only the proxy, cuts the link, and prints a report.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as elapse } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { createMeshProcess } from '@probe-mesh/infra/testing/mesh-process'
import { createCertificates } from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { passTo } from '../../cli/testing/front-server.ts'
import { storedIdsOf } from '../../testing/audit.ts'
import {
  at,
  names,
  proxyPort,
  proxyUser,
  targetPort,
  type CompanyReport,
  type Given,
  type WorldReport,
} from '../stage.ts'

const given = JSON.parse(process.argv[2] ?? '') as Given
const { folder, squid, ip, cutMs } = given
const run = (...args: string[]): void => void execFileSync(ip, args, { stdio: 'inherit' })
const waitMsMax = 240_000

const until = async <T>(what: string, find: () => Promise<T | null>): Promise<T> => {
  const endMs = performance.now() + waitMsMax
  for (;;) {
    const found = await find().catch(() => null)
    if (found !== null) return found
    if (performance.now() > endMs) throw new Error(`waited too long for ${what}`)
    await elapse(500)
  }
}

const startSquid = async (): Promise<void> => {
  const root = join(squid, '..', 'root')
  const [share, programs] = ['usr/share/squid', 'usr/lib/squid'].map((path) =>
    join(squid.endsWith('/run') ? root : '/', path),
  )
  const helper = join(folder, 'password.sh')
  // a Squid escapes what it gives to a helper, or not, by its version
  const { name, password } = proxyUser
  const pairs = [password, encodeURIComponent(password)].map((each) => `"${name} ${each}"`).join(' | ')
  const script = `while read -r line; do case "$line" in ${pairs}) echo OK ;; *) echo ERR ;; esac; done`
  await writeFile(helper, `#!/bin/sh\n${script}\n`)
  await writeFile(join(folder, 'hosts'), `${at.mesh} ${names.mesh}\n${at.hooks} ${names.hooks}\n`)
  const logs = join(folder, 'squid')
  await mkdir(logs)
  for (const [path, mode] of [
    [folder, 0o755],
    [helper, 0o755],
    [logs, 0o777],
  ] as const)
    await chmod(path, mode)
  const settings = [
    // its address comes with the company's link
    `http_port ${proxyPort}`,
    `auth_param basic program ${helper}`,
    'acl known proxy_auth REQUIRED',
    'http_access allow known',
    'http_access deny all',
    'cache deny all',
    `hosts_file ${join(folder, 'hosts')}`,
    'dns_nameservers 127.0.0.1',
    `access_log stdio:${join(logs, 'access.log')}`,
    `cache_log ${join(logs, 'cache.log')}`,
    'pid_filename none',
    `coredump_dir ${logs}`,
    `unlinkd_program ${programs}/unlinkd`,
    `error_directory ${share}/errors/templates`,
    `mime_table ${share}/mime.conf`,
    `icon_directory ${share}/icons`,
    'visible_hostname proxy',
    'cache_effective_user nobody',
    'pinger_enable off',
    'shutdown_lifetime 1 seconds',
  ]
  await writeFile(join(folder, 'squid.conf'), `${settings.join('\n')}\n`)
  const child = spawn(squid, ['-N', '-f', join(folder, 'squid.conf')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  await until('squid', async () =>
    (await readFile(join(logs, 'cache.log'), 'utf8')).includes('Accepting HTTP Socket connections')
      ? true
      : null,
  )
}

const startCompany = async () => {
  const script = fileURLToPath(new URL('company.ts', import.meta.url))
  const child = spawn('unshare', ['--net', process.execPath, script, JSON.stringify(given)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const space = (pid: number | string): string => execFileSync('readlink', [`/proc/${pid}/ns/net`]).toString()
  while (space(child.pid ?? '') === space('self')) await elapse(10)
  const pid = String(child.pid)
  run('link', 'add', 'out', 'type', 'veth', 'peer', 'name', 'in', 'netns', pid)
  run('addr', 'add', `${at.proxy}/24`, 'dev', 'out')
  run('link', 'set', 'out', 'up')
  const there = (...args: string[]): void =>
    void execFileSync('nsenter', ['--target', pid, '--net', ip, ...args], { stdio: 'inherit' })
  there('addr', 'add', `${at.company}/24`, 'dev', 'in')
  there('link', 'set', 'in', 'up')
  there('link', 'set', 'lo', 'up')
  there('addr', 'add', `${at.target}/32`, 'dev', 'lo')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  /** The next line of the company: what it has done. */
  const next = async (): Promise<string> => {
    const line = await lines.next()
    if (line.done === true) throw new Error('the company ended')
    return line.value
  }
  return { next, say: (line: string) => void child.stdin.write(`${line}\n`) }
}

run('link', 'set', 'lo', 'up')
for (const address of [at.mesh, at.hooks, at.probed]) run('addr', 'add', `${address}/32`, 'dev', 'lo')
const certificates = createCertificates()
await writeFile(join(folder, 'ca.pem'), certificates.ca)
const mesh = await createMeshProcess({
  dataDir: join(folder, 'mesh'),
  environment: {
    PUBLIC_URL: `https://${names.mesh}`,
    REGIONS: 'fra',
    CANARIES: 'none',
    CHROMIUM: 'off',
    BUDGET_SCALE: '1000',
  },
})
process.once('exit', () => void mesh.kill().catch(() => undefined))
const received: string[] = []
const { key, cert } = certificates.leaf(names.hooks, null, `DNS:${names.hooks},IP:${at.hooks}`)
const hooks = createServer({ key, cert }, (request, response) => {
  received.push(`${request.headers.host} ${request.url}`)
  request.resume()
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
}).listen(443, at.hooks)
await once(hooks, 'listening')
await Promise.all([mesh.start(), startSquid()])
const front = createServer(certificates.leaf(names.mesh), passTo(new URL(mesh.apiUrl).origin)).listen(
  443,
  at.mesh,
)
await once(front, 'listening')

const { apiKey } = await mesh.credentials()
const api = createApiClient({ apiUrl: mesh.apiUrl, apiKey })
await writeFile(join(folder, 'key'), apiKey)
const company = await startCompany()
company.say('linked')
const office = JSON.parse(await company.next()) as { enrolled: CompanyReport['enrolled'] }

const agentOf = async () => {
  const listed = await api.call('listAgents', {})
  return listed.ok ? (listed.value.agents.find(({ name }) => name === 'office') ?? null) : null
}
const agent = await until('the agent', agentOf)
const body = {
  name: 'intranet',
  url: `http://${at.target}:${targetPort}/private`,
  intervalSeconds: 10,
  regions: [agent.region],
}
const check = await api.call('createCheck', { body })
if (!check.ok) throw new Error(JSON.stringify(check.problem))
const checkId = check.value.id
const { clickhouseUrl } = await mesh.stores()
const clickhouse = connectClickHouse(clickhouseUrl)
const stored = () => storedIdsOf(clickhouse, [checkId])
const journal = async (): Promise<string[]> =>
  (await readFile(join(folder, 'journal'), 'utf8')).split('\n').filter((line) => line !== '')
await until('a reading', async () => ((await stored()).length > 1 ? true : null))
const presence = (await until('presence', agentOf)).presence

const before = (await journal()).length
run('link', 'set', 'out', 'down')
await elapse(cutMs)
const inCut = (await journal()).length - before
run('link', 'set', 'out', 'up')
company.say('healed')
const isPushed = (): boolean =>
  ['metrics', 'traces'].every((signal) => received.includes(`${at.hooks} /v1/${signal}`))
await until('pushes', async () => (isPushed() ? true : null)).catch(() => null)
company.say('pushed')
const rest = JSON.parse(await company.next()) as Pick<CompanyReport, 'channelTests' | 'outside'> & {
  hits: number
}
// the journal ends with the agent
const ids = await journal()
await until('the readings of the cut', async () => {
  const known = new Set(await stored())
  return ids.every((id) => known.has(id)) ? true : null
}).catch(() => null)
const all = await stored()
const known = new Set(all)
const log = await readFile(join(folder, 'squid', 'access.log'), 'utf8')
const report: WorldReport = {
  company: { enrolled: office.enrolled, channelTests: rest.channelTests, outside: rest.outside },
  presence,
  readings: {
    journalled: ids.length,
    missing: ids.filter((id) => !known.has(id)).length,
    twice: all.length - known.size,
    inCut,
  },
  received,
  // time, ms, client, result, bytes, method, URL
  proxied: [
    ...new Set(
      log.split('\n').flatMap((line) => (line === '' ? [] : line.split(/\s+/).slice(5, 7).join(' '))),
    ),
  ],
  targetHits: rest.hits,
}
console.log(JSON.stringify(report))
await clickhouse.close()
await mesh.close()
certificates.remove()
process.exit(0)
