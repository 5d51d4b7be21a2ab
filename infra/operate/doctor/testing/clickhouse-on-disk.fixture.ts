import { silentLog } from '../../../start/embedded/log.ts'
import { startClickHouse } from '../../../start/embedded/clickhouse/start.ts'

/** A ClickHouse process with a given folder and URL, so that it can have a separate disk. */
const [dataDir, behind] = process.argv.slice(2)
if (dataDir === undefined || behind === undefined) throw new Error('a folder and a URL are needed')
const server = await startClickHouse({ dataDir, behind, log: silentLog })
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)))
await server.exited
process.exit(1)
