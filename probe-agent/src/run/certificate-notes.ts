import type { SeenCertificate } from '@probe-mesh/contracts/certificate'

/** What was noted is noted again after this, should it have been lost on its way. */
const againMs = 3_600_000
const checksMax = 20_000

/**
 * Which certificates have been noted: one is news when its check shows another, and once an hour. It is the same
 * in nearly every reading, and half as long as all the rest of one.
 */
export const createCertificateNotes = (now: () => number) => {
  const noted = new Map<string, { text: string; atMs: number }>()
  return {
    /** What of a certificate goes into this reading; null where it was noted before. */
    newsOf: (checkId: string, seen: SeenCertificate, expiresAt: number): SeenCertificate | null => {
      const text = JSON.stringify([expiresAt, seen])
      const before = noted.get(checkId)
      const nowMs = now()
      if (before?.text === text && Math.abs(nowMs - before.atMs) < againMs) return null
      noted.delete(checkId)
      noted.set(checkId, { text, atMs: nowMs })
      for (const oldest of noted.keys()) {
        if (noted.size <= checksMax) break
        noted.delete(oldest)
      }
      return seen
    },
  }
}

export type CertificateNotes = ReturnType<typeof createCertificateNotes>
