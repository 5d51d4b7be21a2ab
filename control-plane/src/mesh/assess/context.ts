import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Logger } from 'pino'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { Book } from './book.ts'
import type { CertificateKeeper } from './certificate-keeper.ts'
import type { Confirmer } from './confirmer.ts'
import type { Holding } from './holding.ts'
import type { AssessMetrics } from './metrics.ts'
import type { RegionWatch } from './region-watch.ts'
import type { Decode } from '../../readings/decode-once.ts'

/** The capabilities of the acts of assessing. */
export type AssessContext = {
  sql: Sql
  book: Book
  /** Watches the regions by every reading as it was measured. */
  watch: RegionWatch
  confirmer: Confirmer
  metrics: AssessMetrics
  /** The partitions that this process has now. */
  holdings: ReadonlyMap<number, Holding>
  decode: Decode
  /** Told what was taken, in the order it was. It must not throw. */
  onReadings?(readings: readonly Reading[]): void
  readonly certificates?: Pick<CertificateKeeper, 'take'>
  log: Logger
  now: () => number
  /** Repeats while Postgres is away; gives up only when the loop is closing. */
  retry<T>(attempt: () => Promise<T>): Promise<T>
}
