import type { Logger } from 'pino'
import type { ClusterAddress } from './cluster-address.ts'
import { connectClickHouseCluster, type ClusterNode } from './cluster.ts'
import { connectClickHouse, type ClickHouse } from './connect.ts'
import { migrateClickHouse } from './migrate.ts'
import { migrateCluster } from './migrate-cluster.ts'

const againMs = 30_000

/** The address of ClickHouse. */
export type ClickHouseAddress = {
  url: string
  /** null: the single server at `url`. */
  cluster: ClusterAddress | null
}

/** Connects without a query. */
export const connectClickHouseAt = ({ url, cluster }: ClickHouseAddress): ClickHouse =>
  cluster === null ? connectClickHouse(url) : connectClickHouseCluster(cluster)

/**
 * Connects to ClickHouse and migrates it. Unavailable servers of a cluster are migrated when they return.
 * @throws Error if it cannot be migrated; its connections are closed
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
    const unavailable = await migrateCluster(cluster)
    const hosts = unavailable.map(({ host }) => host)
    if (hosts.length > 0)
      log.warn({ hosts }, 'ClickHouse servers are temporarily unavailable and not migrated yet; retrying')
    return unavailable
  }
  let timer: NodeJS.Timeout | undefined
  let under: Promise<void> = Promise.resolve()
  let isClosed = false
  const later = (): void => {
    if (isClosed) return
    timer = setTimeout(() => {
      under = migrate().then(
        (unavailable) => (unavailable.length > 0 ? later() : undefined),
        (error: unknown) => {
          log.warn({ err: error }, 'ClickHouse servers cannot be migrated; retrying')
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
