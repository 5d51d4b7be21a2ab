import type { AccountRules } from '../operations/context.ts'
import type { Sql } from '../stores/postgres/connect.ts'
import type { MeshWatch } from './mesh-watch.ts'

/** Messages not stored yet, by partition; those that cannot be asked now are left out. */
export type StreamLag = () => Promise<ReadonlyMap<number, number>>

/** What is known of the mesh, which belongs to no account. */
export type MeshContext = {
  /** Sees what the loops see. */
  readonly sql: Sql
  /** null until the app is ready. */
  readonly watch: () => MeshWatch | null
  /** null where none of the stream is read here. */
  readonly streamLag: StreamLag | null
  readonly vantage: AccountRules['vantage']
  readonly now: () => number
}
