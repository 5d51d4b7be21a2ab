// `npm start` on a host that has no IPv4 address, not even 127.0.0.1. Prints what it does there.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { setTimeout as elapse } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import { emptyCatalogFile } from '@probe-mesh/infra/testing/empty-catalog'

const [folder = ''] = process.argv.slice(2)
const main = fileURLToPath(new URL('../../../infra/start/all-in-one/main.ts', import.meta.url))
const waitMsMax = 400_000
const until = async <T>(find: () => Promise<T | null>): Promise<T> => {
  const endMs = performance.now() + waitMsMax
  for (;;) {
    const found = await find().catch(() => null)
    if (found !== null) return found
    if (performance.now() > endMs) throw new Error('waited too long')
    await elapse(500)
  }
}

const target = createServer((_, response) => response.end('ok')).listen(8_079, '::1')
await once(target, 'listening')
const dataDir = join(folder, 'data')
const child = spawn(process.execPath, [main, '--no-seed'], {
  detached: true,
  stdio: ['ignore', 'inherit', 'inherit'],
  env: {
    PATH: process.env['PATH'],
    LOG_LEVEL: 'warn',
    HOST: '::1',
    DATA_DIR: dataDir,
    REGIONS: 'fra',
    TARGET_ALLOW: '::1/128',
    CANARIES: 'none',
    CHROMIUM: 'off',
    RDAP_BOOTSTRAP: 'none',
    CATALOG_FILE: emptyCatalogFile,
  },
})
process.once('exit', () => {
  if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
})
await until(async () => ((await fetch('http://[::1]:8080/readyz')).ok ? true : null))
const { apiKey } = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8')) as { apiKey: string }
const api = createApiClient({ apiUrl: 'http://[::1]:8080/v1', apiKey })
const body = { name: 'six', url: 'http://[::1]:8079/', intervalSeconds: 10, regions: ['fra'] }
const made = await api.call('createCheck', { body })
if (!made.ok) throw new Error(JSON.stringify(made.problem))
const status = await until(async () => {
  const read = await api.call('getCheck', { params: { id: made.value.id } })
  return read.ok && read.value.status === 'operational' ? read.value.status : null
})
const tools = await fetch('http://[::1]:8081/readyz')
const ipv4 = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .flatMap(({ family, address }) => (family === 'IPv4' ? address : []))
console.log(JSON.stringify({ ipv4, status, tools: tools.status }))
process.exit(0)
