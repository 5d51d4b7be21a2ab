import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'

/** Who stores and judges each partition, in order; null while nobody does. */
export const readHolders = async (
  sql: Sql,
): Promise<{ partition: number; epoch: string; holder: string | null }[]> => [
  ...(await sql<{ partition: number; epoch: string; holder: string | null }[]>`
    select partition, epoch, holder from partition_leases order by partition`),
]
