import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Logger } from 'pino'
import { certificateIn, type CertificateRecord } from '../../checks/expiry/certificates.ts'
import { saveCertificates, type CertificateWrite } from '../../checks/expiry/certificates-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { AssessMetrics } from './metrics.ts'
import { startSightingWriter } from './sighting-writer.ts'

/** An unchanged certificate is written again after this, to update when it was last seen. */
const againMs = 600_000
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
  log: Pick<Logger, 'warn' | 'info'>
  now: () => number
}): CertificateWriter => {
  const { sql, metrics, log, now } = capabilities
  const writer = startSightingWriter({
    save: (batch: readonly CertificateWrite[]) => saveCertificates(sql, batch),
    remember: ({ expiresAtMs, seenAtMs }) => ({ expiresAtMs, seenAtMs }),
    count: (outcome, certificates) => metrics.certificates.inc({ outcome }, certificates),
    what: 'certificates',
    log,
  })

  const isNew = (key: string, { expiresAtMs, seenAtMs, issuer }: CertificateRecord): boolean => {
    const before = writer.waiting(key) ?? writer.written(key)
    return (
      before === undefined ||
      (seenAtMs > before.seenAtMs &&
        (issuer !== null || expiresAtMs !== before.expiresAtMs || seenAtMs - before.seenAtMs >= againMs))
    )
  }
  return {
    note: (readings) => {
      for (const reading of readings) {
        const record = certificateIn(reading, now())
        if (record === null) continue
        const key = `${reading.checkId} ${reading.region}`
        if (!isNew(key, record)) continue
        const before = writer.waiting(key)
        const isSame = before?.expiresAtMs === record.expiresAtMs && record.issuer === null
        const next = { ...record, checkId: reading.checkId }
        writer.put(key, isSame ? { ...before, seenAtMs: record.seenAtMs } : next)
      }
      writer.trim()
    },
    close: writer.close,
  }
}
