import { daysLeftOf, type CheckCertificate } from '@probe-mesh/contracts/reading/certificate'
import type { Reading } from '@probe-mesh/contracts/reading/reading'

/** The certificate that a target showed last in one region. Times are Unix milliseconds. */
export type CertificateRecord = {
  region: string
  expiresAtMs: number
  validFromMs: number | null
  issuer: string | null
  names: readonly string[]
  nameCount: number
  /** The name of the certificate above it that ends first; null: it ends first itself. */
  endsWith: string | null
  seenAtMs: number
}

type Schedule = { regions: readonly string[]; intervalSeconds: number }

/**
 * How much older than the newest a region's certificate may be: beyond, the target may have shown another one
 * since.
 */
const lagMsMax = ({ intervalSeconds }: Schedule): number => 3_600_000 + 3_000 * intervalSeconds

/** How recently a certificate must have been shown to notify about it. */
const shownMsMax = ({ intervalSeconds }: Schedule): number => 86_400_000 + 2_000 * intervalSeconds

/** An untrusted certificate may come from someone else, such as a proxy in between. */
const isOfTarget = (cause: string): boolean =>
  !cause.startsWith('certificate_') || cause === 'certificate_expired'

/** The target's certificate in a reading; null if it has none to rely on. */
export const certificateIn = (reading: Reading, nowMs: number): CertificateRecord | null => {
  const { certificateExpiresAt: expiresAtMs, certificate = null, region, cause } = reading
  if (expiresAtMs === null || !isOfTarget(cause)) return null
  return {
    region,
    expiresAtMs,
    validFromMs: certificate?.validFrom ?? null,
    issuer: certificate === null ? null : storable(certificate.issuer),
    names: certificate?.names.map(storable) ?? [],
    nameCount: certificate?.nameCount ?? 0,
    endsWith: certificate?.endsWith === undefined ? null : storable(certificate.endsWith),
    seenAtMs: Math.min(reading.measuredAt, nowMs),
  }
}

/** A private agent can send anything: drop what the database cannot hold. */
const storable = (text: string): string => text.replaceAll('\u0000', '').toWellFormed()

/**
 * The certificates that are current for a check: of its regions, and not much older than the newest one.
 */
export const currentCertificates = <T extends Pick<CertificateRecord, 'region' | 'seenAtMs'>>(
  records: readonly T[],
  schedule: Schedule,
): T[] => {
  const own = records.filter(({ region }) => schedule.regions.includes(region))
  const newestMs = Math.max(...own.map(({ seenAtMs }) => seenAtMs))
  return own.filter(({ seenAtMs }) => newestMs - seenAtMs <= lagMsMax(schedule))
}

/** The certificate that expires first, if it was shown recently enough to notify about it. */
export const firstToExpire = (
  records: readonly CertificateRecord[],
  schedule: Schedule,
  nowMs: number,
): CertificateRecord | null => {
  const [first, ...others] = currentCertificates(records, schedule).filter(
    ({ seenAtMs }) => nowMs - seenAtMs <= shownMsMax(schedule),
  )
  if (first === undefined) return null
  return others.reduce((least, each) => (isBefore(each, least) ? each : least), first)
}

/** Of two that expire together, the one with names tells more. */
const isBefore = (one: CertificateRecord, other: CertificateRecord): boolean =>
  one.expiresAtMs < other.expiresAtMs ||
  (one.expiresAtMs === other.expiresAtMs && isNamed(one) && !isNamed(other))

/**
 * Each certificate once, with the regions that showed it, by expiry. A region whose agent has not sent the names yet
 * showed the certificate of another region that expires in the same second, if there is just one.
 */
export const describeCertificates = (
  records: readonly CertificateRecord[],
  schedule: Schedule,
  nowMs: number,
): CheckCertificate[] => {
  const current = currentCertificates(records, schedule)
  const keyOf = ({ expiresAtMs, issuer, names, endsWith }: CertificateRecord): string =>
    JSON.stringify([expiresAtMs, issuer, names.toSorted(), endsWith])
  const same = Map.groupBy(current.filter(isNamed), keyOf)
  for (const each of current) {
    if (isNamed(each)) continue
    const alike = [...same.values()].filter(([one]) => one?.expiresAtMs === each.expiresAtMs)
    const [only] = alike
    if (only !== undefined && alike.length === 1) only.push(each)
    else same.set(keyOf(each), [...(same.get(keyOf(each)) ?? []), each])
  }
  return [...same.values()]
    .flatMap((each): CheckCertificate[] => {
      const [one] = each
      return one === undefined ? [] : [describeOne(one, each, nowMs)]
    })
    .toSorted((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1))
}

const isNamed = ({ issuer }: CertificateRecord): boolean => issuer !== null

const describeOne = (
  { expiresAtMs, issuer, names, nameCount, endsWith, validFromMs }: CertificateRecord,
  same: readonly CertificateRecord[],
  nowMs: number,
): CheckCertificate => ({
  expiresAt: new Date(expiresAtMs).toISOString(),
  daysLeft: daysLeftOf(expiresAtMs, nowMs),
  issuer,
  names: [...names],
  nameCount,
  ...(endsWith !== null && { endsWith }),
  validFrom: validFromMs === null ? null : new Date(validFromMs).toISOString(),
  seenAt: new Date(Math.max(...same.map(({ seenAtMs }) => seenAtMs))).toISOString(),
  regions: same.map(({ region }) => region).toSorted(),
})
