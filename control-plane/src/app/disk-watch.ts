import { Gauge, type Registry } from 'prom-client'
import { diskLevel, readDiskSpace, type DiskSpace } from '@probe-mesh/runtime/disk-space'
import type { ClickHouse } from '../stores/clickhouse/connect.ts'
import { clickhouseDisks } from '../stores/clickhouse/server-facts.ts'

const paceMs = 15_000

/**
 * The disks of ClickHouse and of this process, as a part that is degraded while one is nearly full. The space
 * is in the metrics.
 * @param dataDir null: this process stores nothing on disk
 */
export const createDiskWatch = ({
  clickhouse,
  dataDir,
  registry,
}: {
  clickhouse: Pick<ClickHouse, 'query'>
  dataDir: string | null
  registry: Registry
}) => {
  let disks: ({ disk: string } & DiskSpace)[] = []
  const gauge = (name: string, help: string, of: (disk: DiskSpace) => number) => {
    const made: Gauge<'disk'> = new Gauge({
      name,
      help,
      labelNames: ['disk'],
      registers: [registry],
      collect: () => {
        made.reset()
        for (const one of disks) made.set({ disk: one.disk }, of(one))
      },
    })
  }
  gauge('disk_free_bytes', 'Free space, by disk: data_dir, or a disk of ClickHouse', (one) => one.freeBytes)
  gauge('disk_size_bytes', 'Size, by disk: data_dir, or a disk of ClickHouse', (one) => one.totalBytes)
  const readAll = async (): Promise<typeof disks> => {
    const own = dataDir === null ? [] : [{ disk: 'data_dir', ...(await readDiskSpace(dataDir)) }]
    // another part reports a ClickHouse that does not answer
    const theirs = await clickhouseDisks(clickhouse).catch(() => [])
    return [...own, ...theirs.map(({ name, ...space }) => ({ disk: `clickhouse ${name}`, ...space }))]
  }
  return {
    effect: 'A disk is nearly full: readings wait until it has space. The doctor names it.',
    paceMs,
    works: async (): Promise<boolean> => {
      disks = await readAll()
      return disks.every((one) => diskLevel(one) !== 'full')
    },
  }
}
