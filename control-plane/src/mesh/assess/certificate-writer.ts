import { startLoop } from '@probe-mesh/runtime/loop'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Logger } from 'pino'
import { certificateIn } from '../../checks/expiry/certificates.ts'
import type { CertificateRecord } from '../../checks/expiry/certificates.ts'
import { saveCertificates } from '../../checks/expiry/certificates-store.ts'
import type { CertificateWrite } from '../../checks/expiry/certificates-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { AssessMetrics } from './metrics.ts'

const paceMs = 500
const rowsMax = 1_000
/** An unchanged certificate is written again after this, to update when it was last seen. */
const againMs = 600_000
/** The most certificates waiting for Postgres, and remembered as written. Beyond, the oldest is dropped. */
const waitingMax = 50_000
const writtenMax = 200_000

export type CertificateWriter = {
  note(readings: readonly Reading[]): void
  close(): Promise<void>
}

/**
 * Writes the certificates in readings: one row for each check and region, when the certificate changes and
 * every ten minutes. A lost row is written with the next sighting.
 */
export const startCertificateWriter = (capabilities: {
  sql: Sql
  metrics: Pick<AssessMetrics, 'certificates'>
  log: Pick<Logger, 'warn'>
  now: () => number
}): CertificateWriter => {
  const { sql, metrics, log, now } = capabilities
  const waiting = new Map<string, CertificateWrite>()
  const written = new Map<string, { expiresAtMs: number; seenAtMs: number }>()

  const isNew = (key: string, { expiresAtMs, seenAtMs, issuer }: CertificateRecord): boolean => {
    const before = waiting.get(key) ?? written.get(key)
    return (
      before === undefined ||
      (seenAtMs > before.seenAtMs &&
        (issuer !== null || expiresAtMs !== before.expiresAtMs || seenAtMs - before.seenAtMs >= againMs))
    )
  }
  const note = (readings: readonly Reading[]): void => {
    for (const reading of readings) {
      const record = certificateIn(reading, now())
      if (record === null) continue
      const key = `${reading.checkId} ${reading.region}`
      if (!isNew(key, record)) continue
      const before = waiting.get(key)
      const isSame = before?.expiresAtMs === record.expiresAtMs && record.issuer === null
      waiting.delete(key)
      const next = { ...record, checkId: reading.checkId }
      waiting.set(key, isSame ? { ...before, seenAtMs: record.seenAtMs } : next)
    }
    metrics.certificates.inc({ outcome: 'dropped' }, trim(waiting, waitingMax))
  }

  const write = async (): Promise<void> => {
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, rowsMax)
      await saveCertificates(
        sql,
        batch.map(([, each]) => each),
      )
      metrics.certificates.inc({ outcome: 'stored' }, batch.length)
      for (const [key, each] of batch) {
        // a newer sighting still has to be written
        if (waiting.get(key) === each) waiting.delete(key)
        written.delete(key)
        written.set(key, { expiresAtMs: each.expiresAtMs, seenAtMs: each.seenAtMs })
      }
      trim(written, writtenMax)
    }
  }
  const reportFailure = (error: unknown): void => {
    log.warn({ err: error }, 'certificates cannot be stored; retrying')
  }
  const loop = startLoop({ round: write, everyMs: paceMs, firstMs: paceMs, onError: reportFailure })
  return {
    note,
    close: async () => {
      await loop.close()
      await write().catch(reportFailure)
    },
  }
}

/** @returns how many were removed, the oldest first */
const trim = (entries: Map<string, unknown>, max: number): number => {
  const over = Math.max(0, entries.size - max)
  for (const key of [...entries.keys()].slice(0, over)) entries.delete(key)
  return over
}
