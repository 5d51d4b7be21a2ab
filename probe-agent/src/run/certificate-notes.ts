import type { X509Certificate } from 'node:crypto'
import type { SeenCertificate } from '@probe-mesh/contracts/reading/certificate'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Mask } from '../secrets/mask.ts'
import { issuerThatEnds } from '../request/chain-end.ts'
import { seenCertificate } from '../request/seen-certificate.ts'

/** An unchanged certificate is stored again after this time, in case its reading was lost, ms. */
const againMs = 3_600_000
const checksMax = 20_000
/** 128 bits of it, in pairs of digits with colons. */
const fingerprintCharacters = 47

/** An untrusted certificate may come from a proxy in between. */
const isReliedOn = (cause: string): boolean =>
  !cause.startsWith('certificate_') || cause === 'certificate_expired'

/** What of a reading decides whether its certificate is stored. */
type Of = Pick<Reading, 'checkId' | 'region' | 'kind' | 'cause' | 'certificateExpiresAt'>

/**
 * Remembers which certificates were stored: a certificate is stored when a check shows another one in a region, and once
 * an hour. It is the same in nearly every reading, half the size of the rest, and more expensive to parse than all of
 * it. The fingerprint is already known from its chain's end. One that became trusted is stored again, since what was told
 * of it before did not count.
 */
export const createCertificateNotes = (now: () => number) => {
  const stored = new Map<string, { text: string; atMs: number }>()
  return {
    /** The certificate for this reading; null when it was stored before. */
    newsOf: (
      { checkId, region, kind, cause, certificateExpiresAt }: Of,
      shown: Pick<X509Certificate, 'fingerprint256'> & Parameters<typeof seenCertificate>[0],
      mask?: Mask,
    ): SeenCertificate | null => {
      const key = `${region} ${checkId}`
      const text = `${shown.fingerprint256.slice(0, fingerprintCharacters)} ${certificateExpiresAt} ${isReliedOn(cause)}`
      const before = stored.get(key)
      const nowMs = now()
      if (before?.text === text && Math.abs(nowMs - before.atMs) < againMs) return null
      // other kinds are stored too, but may be answers to one who asked
      if (kind === 'scheduled') {
        stored.delete(key)
        stored.set(key, { text, atMs: nowMs })
        for (const oldest of stored.keys()) {
          if (stored.size <= checksMax) break
          stored.delete(oldest)
        }
      }
      return seenCertificate(shown, mask?.cut, issuerThatEnds(shown as X509Certificate))
    },
  }
}

export type CertificateNotes = ReturnType<typeof createCertificateNotes>
