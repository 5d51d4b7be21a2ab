import type { X509Certificate } from 'node:crypto'
import type { SeenCertificate } from '@probe-mesh/contracts/reading/certificate'
import type { Mask } from '../secrets/mask.ts'
import { seenCertificate } from '../request/seen-certificate.ts'

/** An unchanged certificate is stored again after this time, in case its reading was lost, ms. */
const againMs = 3_600_000
const checksMax = 20_000

/**
 * Remembers which certificates were stored: a certificate is stored when a check shows another one,
 * and once an hour. It is the same in nearly every reading, half the size of the rest, and more
 * expensive to parse than all of it. Serial number and expiry identify a certificate (RFC 5280
 * 4.1.2.2).
 */
export const createCertificateNotes = (now: () => number) => {
  const stored = new Map<string, { text: string; atMs: number }>()
  return {
    /** The certificate for this reading; null when it was stored before. */
    newsOf: (
      checkId: string,
      shown: Pick<X509Certificate, 'serialNumber'> & Parameters<typeof seenCertificate>[0],
      expiresAt: number,
      mask?: Mask,
    ): SeenCertificate | null => {
      const text = `${shown.serialNumber} ${expiresAt}`
      const before = stored.get(checkId)
      const nowMs = now()
      if (before?.text === text && Math.abs(nowMs - before.atMs) < againMs) return null
      stored.delete(checkId)
      stored.set(checkId, { text, atMs: nowMs })
      for (const oldest of stored.keys()) {
        if (stored.size <= checksMax) break
        stored.delete(oldest)
      }
      return seenCertificate(shown, mask?.cut)
    },
  }
}

export type CertificateNotes = ReturnType<typeof createCertificateNotes>
