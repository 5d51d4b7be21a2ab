// A process that owns the databases of a directory, for tests that kill it. Prints their addresses.
import { startStores } from './stores.ts'

const pids: number[] = []
const notePid = (fields: object): void => {
  if ('pid' in fields && typeof fields.pid === 'number') pids.push(fields.pid)
}
const [dataDir = ''] = process.argv.slice(2)
const { databaseUrl, clickhouseUrl } = await startStores({
  dataDir,
  log: { debug: () => {}, info: notePid, warn: () => {} },
})
process.send?.({ databaseUrl, clickhouseUrl, pids })
