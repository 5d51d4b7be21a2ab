// ClickHouse as the unit `clickhouse-server` of a test machine, where its own packages are not available.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { startClickHouse } from '../../start/embedded/clickhouse/start.ts'
import { silentLog } from '../../start/embedded/log.ts'

const url = (await readFile('/etc/probe-mesh/secrets/clickhouse-url', 'utf8')).trim()
const server = await startClickHouse({
  dataDir: '/var/lib/clickhouse',
  log: silentLog,
  behind: url,
})
await Promise.race([once(process, 'SIGTERM'), server.exited])
await server.close()
