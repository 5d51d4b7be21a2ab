import type { X509Certificate } from 'node:crypto'
import type { SeenCertificate } from '@probe-mesh/contracts/reading/certificate'
import { seenCertificate } from '../request/seen-certificate.ts'

/** What was noted is noted again after this, should it have been lost on its way. */
const againMs = 3_600_000
const checksMax = 20_000

/**
 * Which certificates have been noted: one is news when its check shows another, and once an hour. It is the same
 * in nearly every reading, half as long as all the rest of one, and costs more to read than the rest to make. A
 * serial number with an end tells certificates apart (RFC 5280 4.1.2.2).
 */
export const createCertificateNotes = (now: () => number) => {
  const noted = new Map<string, { text: string; atMs: number }>()
  return {
    /** What of a certificate goes into this reading; null where it was noted before. */
    newsOf: (
      checkId: string,
      shown: Pick<X509Certificate, 'serialNumber'> & Parameters<typeof seenCertificate>[0],
      expiresAt: number,
    ): SeenCertificate | null => {
      const text = `${shown.serialNumber} ${expiresAt}`
      const before = noted.get(checkId)
      const nowMs = now()
      if (before?.text === text && Math.abs(nowMs - before.atMs) < againMs) return null
      noted.delete(checkId)
      noted.set(checkId, { text, atMs: nowMs })
      for (const oldest of noted.keys()) {
        if (noted.size <= checksMax) break
        noted.delete(oldest)
      }
      return seenCertificate(shown)
    },
  }
}

export type CertificateNotes = ReturnType<typeof createCertificateNotes>
