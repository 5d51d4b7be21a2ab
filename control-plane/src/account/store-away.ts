import { isPostgresAway } from '../postgres/connect.ts'

/**
 * Whether an error that a verb let through means that a store is away. ClickHouse's absence is a
 * refusal already (`ask-clickhouse.ts`); what remains is Postgres.
 */
export const isStoreAway = (error: unknown): boolean => isPostgresAway(error)
