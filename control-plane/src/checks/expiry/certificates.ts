import { daysLeftOf } from '@probe-mesh/contracts/reading/certificate'
import type { CheckCertificate } from '@probe-mesh/contracts/reading/certificate'
import type { Reading } from '@probe-mesh/contracts/reading/reading'

/** The certificate that a check's target showed last in one region. Times are Unix milliseconds. */
export type CertificateRecord = {
  region: string
  expiresAtMs: number
  validFromMs: number | null
  issuer: string | null
  names: readonly string[]
  nameCount: number
  seenAtMs: number
}

type Schedule = { regions: readonly string[]; intervalSeconds: number }

/** How far behind the newest a region's may be: beyond, its target may have shown another since. */
const lagMsMax = ({ intervalSeconds }: Schedule): number => 3_600_000 + 3_000 * intervalSeconds

/** A certificate that was shown longer ago is no ground for a notice. */
const shownMsMax = ({ intervalSeconds }: Schedule): number => 86_400_000 + 2_000 * intervalSeconds

/** What a certificate that is not trusted says may be anybody's word, such as that of a proxy in between. */
const ofTheTarget = (cause: string): boolean =>
  !cause.startsWith('certificate_') || cause === 'certificate_expired'

/** What a reading tells of its target's certificate; null where it tells nothing. Pure. */
export const certificateIn = (reading: Reading, nowMs: number): CertificateRecord | null => {
  const { certificateExpiresAt: expiresAtMs, certificate = null, region, cause } = reading
  if (expiresAtMs === null || !ofTheTarget(cause)) return null
  return {
    region,
    expiresAtMs,
    validFromMs: certificate?.validFrom ?? null,
    issuer: certificate === null ? null : storable(certificate.issuer),
    names: certificate?.names.map(storable) ?? [],
    nameCount: certificate?.nameCount ?? 0,
    seenAtMs: Math.min(reading.measuredAt, nowMs),
  }
}

/** An agent may be anybody's: what the database cannot hold is left out. */
const storable = (text: string): string => text.replaceAll('\u0000', '').toWellFormed()

/** Those that stand for the check now: of its regions, and none that was overtaken by the others. Pure. */
const currentCertificates = (
  records: readonly CertificateRecord[],
  schedule: Schedule,
): CertificateRecord[] => {
  const own = records.filter(({ region }) => schedule.regions.includes(region))
  const newestMs = Math.max(...own.map(({ seenAtMs }) => seenAtMs))
  return own.filter(({ seenAtMs }) => newestMs - seenAtMs <= lagMsMax(schedule))
}

/** The certificate that ends first, if it was shown lately enough to speak of. Pure. */
export const firstToExpire = (
  records: readonly CertificateRecord[],
  schedule: Schedule,
  nowMs: number,
): CertificateRecord | null => {
  const [first, ...others] = currentCertificates(records, schedule).filter(
    ({ seenAtMs }) => nowMs - seenAtMs <= shownMsMax(schedule),
  )
  if (first === undefined) return null
  return others.reduce(
    (least, each) => (each.expiresAtMs < least.expiresAtMs ? each : least),
    first,
  )
}

/** Each certificate once, with where it was shown; the one that ends first comes first. Pure. */
export const describeCertificates = (
  records: readonly CertificateRecord[],
  schedule: Schedule,
  nowMs: number,
): CheckCertificate[] => {
  const same = Map.groupBy(currentCertificates(records, schedule), (each) =>
    JSON.stringify([each.expiresAtMs, each.issuer, each.names]),
  )
  return [...same.values()]
    .flatMap((each): CheckCertificate[] => {
      const [one] = each
      return one === undefined ? [] : [describeOne(one, each, nowMs)]
    })
    .toSorted((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1))
}

const describeOne = (
  { expiresAtMs, issuer, names, nameCount, validFromMs }: CertificateRecord,
  same: readonly CertificateRecord[],
  nowMs: number,
): CheckCertificate => ({
  expiresAt: new Date(expiresAtMs).toISOString(),
  daysLeft: daysLeftOf(expiresAtMs, nowMs),
  issuer,
  names: [...names],
  nameCount,
  validFrom: validFromMs === null ? null : new Date(validFromMs).toISOString(),
  seenAt: new Date(Math.max(...same.map(({ seenAtMs }) => seenAtMs))).toISOString(),
  regions: same.map(({ region }) => region).toSorted(),
})
