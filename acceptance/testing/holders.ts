import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'

/** The lease holder of each partition, in order; null without one. */
export const readHolders = async (
  sql: Sql,
): Promise<{ partition: number; epoch: string; holder: string | null }[]> => [
  ...(await sql<{ partition: number; epoch: string; holder: string | null }[]>`
    select partition, epoch, holder from partition_leases order by partition`),
]
