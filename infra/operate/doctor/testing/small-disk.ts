import { mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCommandPart } from '../../../testing/processes/command-part.ts'
import type { Part } from '../../../testing/processes/part.ts'

const program = fileURLToPath(new URL('clickhouse-on-disk.fixture.ts', import.meta.url))
/** Large enough for no finding until it is filled. */
const diskBytes = 2_600_000_000
const ballastBytes = 2_300_000_000
const chunk = Buffer.alloc(16 * 1024 * 1024)

export type ClickHouseOnDisk = Part & {
  readonly url: string
  fill(): Promise<void>
  makeRoom(): Promise<void>
}

/** ClickHouse on a disk in memory in its own mount namespace; files that fill it are written through that. */
export const createClickHouseOnDisk = async (folder: string, port: number): Promise<ClickHouseOnDisk> => {
  const dataDir = join(folder, 'clickhouse')
  await mkdir(dataDir)
  const url = `http://mesh:mesh@127.0.0.1:${port}/mesh`
  const headers = { authorization: `Basic ${Buffer.from('mesh:mesh').toString('base64')}` }
  const logFile = join(folder, 'logs', 'clickhouse')
  const mounted = `mount -t tmpfs -o size=${diskBytes} tmpfs "$0" && exec "$@"`
  // the disk remains after ClickHouse is killed
  const disk = createCommandPart({
    name: 'the disk of ClickHouse',
    command: ['unshare', '--map-root-user', '--mount', 'sh', '-c', mounted, dataDir, 'sleep', 'inf'],
    environment: {},
    logFile,
    isReady: async () => {
      const [pid] = disk.processIds()
      return (await readFile(`/proc/${pid}/mounts`, 'utf8')).includes(` ${dataDir} tmpfs`)
    },
  })
  await disk.start()
  const [holder = 0] = disk.processIds()
  const seen = ['nsenter', '-t', String(holder), '-U', '--preserve-credentials', '-m', '--']
  const part = createCommandPart({
    name: 'clickhouse',
    command: [...seen, process.execPath, program, dataDir, url],
    environment: {},
    logFile,
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/ping`, { headers })).ok,
  })
  const ballast = join(`/proc/${holder}/root`, dataDir, 'ballast')
  const closePart = part.close
  return Object.assign(part, {
    url,
    fill: async () => {
      const file = await open(ballast, 'w')
      try {
        for (let written = 0; written < ballastBytes; written += chunk.length) {
          await file.write(chunk)
        }
      } finally {
        await file.close()
      }
    },
    makeRoom: () => rm(ballast, { force: true }),
    close: async () => {
      await closePart()
      await disk.close()
    },
  })
}
