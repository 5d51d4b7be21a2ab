import { isConflict } from '../stores/postgres/conflict.ts'
import { isPostgresUnavailable } from '../stores/postgres/connect.ts'

/**
 * Whether an error that a verb let through means that a store is away, or so busy with others that it did
 * nothing of this. ClickHouse's absence is a refusal already (`ask-clickhouse.ts`); what remains is Postgres.
 */
export const isStoreUnavailable = (error: unknown): boolean =>
  isPostgresUnavailable(error) || isConflict(error)
