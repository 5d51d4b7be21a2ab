import type { CheckDetail } from '@probe-mesh/contracts/check/check'
import type { Look } from './look.ts'
import { wrapWords } from './wrap-words.ts'

/** Of more names it says how many there are. */
const namesMax = 5

/** When the certificates and the domain of a check's target expire, a line or more for each. */
export const expiryLines = (
  look: Look,
  { certificates = [], domain }: Pick<CheckDetail, 'certificates' | 'domain'>,
): string[] => [
  ...certificates.flatMap((certificate) => {
    const { nameCount, issuer, regions } = certificate
    const names = certificate.names.slice(0, namesMax)
    const more = nameCount > names.length ? ` and ${nameCount - names.length} more` : ''
    const shown = [
      whenText(certificate),
      ...(issuer === null ? [] : [`issued by ${issuer}`]),
      ...(names.length === 0 ? [] : [`for ${names.join(', ')}${more}`]),
      ...(certificates.length === 1 ? [] : [`shown in ${regions.join(', ')}`]),
    ]
    return wrapWords(look, shown.join('; '), 'Certificate: ')
  }),
  ...(domain === undefined
    ? []
    : wrapWords(
        look,
        [
          `${domain.name} ${whenText(domain)}`,
          ...(domain.registrar === null ? [] : [`registrar ${domain.registrar}`]),
        ].join('; '),
        'Domain: ',
      )),
]

/** `expires in 6 days (2026-11-26)`. */
const whenText = ({ expiresAt, daysLeft }: { expiresAt: string; daysLeft: number }): string => {
  const day = expiresAt.slice(0, 10)
  if (daysLeft < 0) return `expired on ${day}`
  if (daysLeft === 0) return `expires in less than a day (${day})`
  return `expires in ${daysLeft} ${daysLeft === 1 ? 'day' : 'days'} (${day})`
}
