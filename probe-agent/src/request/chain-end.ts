import { createRecent } from '@probe-mesh/runtime/recent'
import type { X509Certificate } from 'node:crypto'

/** When the trust of a client in a certificate ends. */
export type ChainEnd = {
  /** Unix ms */
  expiresAt: number
  /** The certificate that ends first: the target's own, one that issued it, or the authority. */
  first: X509Certificate
}

/** Bounds for what a server sends, and for the search in it. */
const sentMax = 20
const lengthMax = 8
const stepsMax = 200

/**
 * When a client stops to trust a certificate. A client may follow any path from it over sent and known certificates to
 * an authority; it is trusted while one path is, and a path as long as its shortest certificate (RFC 5280 6.1). A sent
 * certificate that no lasting path needs changes nothing. As `probe_ssl_last_chain_expiry_timestamp_seconds` of
 * blackbox_exporter. Paths over certificates that are not valid yet count if there is no other; without any path, the
 * certificate's own end does.
 * @param own as the server sent it; the others follow by `issuerCertificate`
 * @param authorities those of the client
 */
export const chainEndOf = (
  own: X509Certificate,
  authorities: readonly X509Certificate[],
  nowMs: number,
): ChainEnd => {
  const [, ...others] = distinct(sentCertificates(own))
  const isValidYet = (each: X509Certificate): boolean => each.validFromDate.getTime() <= nowMs
  const known = { authorities, others }
  return (
    longestPath(own, { authorities: authorities.filter(isValidYet), others: others.filter(isValidYet) }) ??
    longestPath(own, known) ??
    endOf(own)
  )
}

const endOf = (first: X509Certificate): ChainEnd => ({ expiresAt: first.validToDate.getTime(), first })

type Known = Record<'authorities' | 'others', readonly X509Certificate[]>

const longestPath = (leaf: X509Certificate, { authorities, others }: Known): ChainEnd | null => {
  let best: ChainEnd | null = null
  let steps = 0

  const follow = (path: readonly X509Certificate[], end: ChainEnd): void => {
    const at = path.at(-1) ?? leaf
    // no longer path can last longer
    if (best !== null && end.expiresAt <= best.expiresAt) return
    if (authorities.some((each) => isSame(each, at))) best = end
    for (const by of [...authorities, ...others]) {
      if (path.length >= lengthMax || steps >= stepsMax) return
      if (by.subject !== at.issuer || path.some((each) => isSame(each, by))) continue
      steps += 1
      if (at.checkIssued(by) && at.verify(by.publicKey)) follow([...path, by], sooner(end, by))
    }
  }
  follow([leaf], endOf(leaf))
  return best
}

const sooner = (end: ChainEnd, by: X509Certificate): ChainEnd => {
  const ofIssuer = endOf(by)
  return ofIssuer.expiresAt < end.expiresAt ? ofIssuer : end
}

const isSame = (one: X509Certificate, other: X509Certificate): boolean =>
  one.fingerprint256 === other.fingerprint256

/** Each once. One that is no authority issues nothing, so it is left out after the first. */
const distinct = (certificates: readonly X509Certificate[]): X509Certificate[] =>
  certificates.filter(
    (each, at) => (at === 0 || each.ca) && certificates.findIndex((other) => isSame(other, each)) === at,
  )

/** The certificates that a server sent, in its order. */
const sentCertificates = (own: X509Certificate): X509Certificate[] => {
  const sent: X509Certificate[] = []
  for (let at: X509Certificate | undefined = own; at !== undefined && sent.length < sentMax;) {
    sent.push(at)
    at = at.issuerCertificate
  }
  return sent
}

/** As remembered: without the certificates. */
type KnownEnd = {
  expiresAt: number
  /** The name of the one that ends first, as Node writes it; null: the target's own. */
  issuer: string | null
}

/** A path is found again after this time, since another certificate may have become valid, ms. */
const againMs = 3_600_000
const knownMax = 5_000
const nameCharactersMax = 2_000

type Remembered = KnownEnd & { atMs: number }

/** By authorities, which trust settings with and without a client certificate share. */
const byAuthorities = new WeakMap<readonly X509Certificate[], ReturnType<typeof createRecent<Remembered>>>()
const byCertificate = new WeakMap<X509Certificate, KnownEnd>()

/**
 * The end of a received certificate, remembered by what was sent: the signatures of a chain take 0.3 ms.
 * @param authorities those of the client
 */
export const chainEnd = (
  own: X509Certificate,
  authorities: readonly X509Certificate[],
  nowMs: number,
): KnownEnd => {
  const known = byAuthorities.get(authorities) ?? createRecent<Remembered>(knownMax)
  if (known.size === 0) byAuthorities.set(authorities, known)
  const key = sentCertificates(own)
    .map(({ fingerprint256 }) => fingerprint256)
    .join()
  const before = known.get(key)
  const isRecent = before !== undefined && Math.abs(nowMs - before.atMs) < againMs
  const end = isRecent ? before : { ...toKnown(own, chainEndOf(own, authorities, nowMs)), atMs: nowMs }
  if (!isRecent) known.set(key, end)
  // few have one, and each entry of a weak map costs every collection of garbage
  if (end.issuer !== null) byCertificate.set(own, end)
  return end
}

const toKnown = (own: X509Certificate, { expiresAt, first }: ChainEnd): KnownEnd => ({
  expiresAt,
  issuer: isSame(first, own) ? null : first.subject.slice(0, nameCharactersMax),
})

/** The name of the certificate above a received one that ends before it, as Node writes names; null: none does. */
export const issuerThatEnds = (own: X509Certificate): string | null => byCertificate.get(own)?.issuer ?? null
