import type { Logger } from 'pino'
import type { ClusterAddress } from './cluster-address.ts'
import { connectClickHouseCluster } from './cluster.ts'
import type { ClusterNode } from './cluster.ts'
import { connectClickHouse } from './connect.ts'
import type { ClickHouse } from './connect.ts'
import { migrateClickHouse } from './migrate.ts'
import { migrateCluster } from './migrate-cluster.ts'

const againMs = 30_000

/** Where the time series are. */
export type ClickHouseAddress = {
  url: string
  /** null: the server at `url` by itself. */
  cluster: ClusterAddress | null
}

/** Connects, and asks nothing yet. */
export const connectClickHouseAt = ({ url, cluster }: ClickHouseAddress): ClickHouse =>
  cluster === null ? connectClickHouse(url) : connectClickHouseCluster(cluster)

/**
 * The time series, ready to be read and written. Servers of a cluster that are away are migrated when they come back.
 * @throws Error when it cannot be migrated; what was connected to is closed
 */
export const openClickHouse = async (
  { url, cluster: address }: ClickHouseAddress,
  log: Logger,
): Promise<ClickHouse> => {
  if (address === null) {
    const server = connectClickHouse(url)
    await migrateClickHouse(server)
    return server
  }
  const cluster = connectClickHouseCluster(address)
  const migrate = async (): Promise<ClusterNode[]> => {
    const away = await migrateCluster(cluster)
    const hosts = away.map(({ host }) => host)
    if (hosts.length > 0) log.warn({ hosts }, 'servers of ClickHouse are away and not migrated yet')
    return away
  }
  let timer: NodeJS.Timeout | undefined
  let under: Promise<void> = Promise.resolve()
  let isClosed = false
  const later = (): void => {
    if (isClosed) return
    timer = setTimeout(() => {
      under = migrate().then(
        (away) => (away.length > 0 ? later() : undefined),
        (error: unknown) => {
          log.warn({ err: error }, 'servers of ClickHouse cannot be migrated; trying again')
          later()
        },
      )
    }, againMs)
  }
  try {
    if ((await migrate()).length > 0) later()
  } catch (error) {
    await cluster.close()
    throw error
  }
  return {
    ...cluster,
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await under
      await cluster.close()
    },
  }
}
