import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Sql } from './postgres/connect.ts'

/** The context of a loop. `sql` can read every account. */
export type LoopContext = { sql: Sql; registry: Registry; log: Logger; now: () => number }
