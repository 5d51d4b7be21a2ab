import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Sql } from './postgres/connect.ts'

/** What a loop is given. `sql` sees every account. */
export type LoopContext = { sql: Sql; registry: Registry; log: Logger; now: () => number }
