import type { CheckDetail } from '@probe-mesh/contracts/check/check'
import type { CheckCertificate } from '@probe-mesh/contracts/reading/certificate'
import { html, type Html } from '@probe-mesh/runtime/html'
import { exactTime, named, none, time } from '../../html/measures.ts'
import { card, facts } from '../../html/components/card.ts'
import { regionLabel } from '../../html/components/region-marks.ts'
import { table } from '../../html/components/table.ts'

type Expiring = Pick<CheckDetail, 'certificates' | 'domain' | 'domainUnknown'>

/** Names shown; more are counted. */
const namesMax = 5

const left = ({ daysLeft }: { daysLeft: number }): string => {
  if (daysLeft < 0) return 'expired'
  return daysLeft === 0 ? 'less than 1' : String(daysLeft)
}

const leftText = ({ daysLeft }: { daysLeft: number }): string => {
  if (daysLeft < 0) return 'expired'
  return `${left({ daysLeft })} ${daysLeft < 2 ? 'day' : 'days'} left`
}

const namesText = (names: readonly string[], nameCount: number): Html => {
  const shown = names.slice(0, namesMax)
  const more = nameCount - shown.length
  return html`${shown.map((name, index) => [index > 0 && ', ', named(name)])}${more > 0 && ` and ${more} more`}`
}

const expiresCell = ({ expiresAt, endsWith = null }: CheckCertificate): Html =>
  html`${exactTime(expiresAt)}${endsWith !== null && html`, with ${named(endsWith)} above it`}`

/** The certificates of the target and the registration of its domain; null if both are unknown. */
export const expirySection = ({ certificates = [], domain, domainUnknown }: Expiring): Html => html`
  ${
    certificates.length > 0 &&
    card(
      { id: 'certificate', title: 'Certificate' },
      table(
        'Certificates that the target shows',
        [
          { heading: 'Expires', cell: expiresCell },
          { heading: 'Days left', isNumber: true, cell: left },
          { heading: 'Issuer', cell: ({ issuer }) => (issuer === null ? none : named(issuer)) },
          {
            heading: 'Names',
            cell: ({ names, nameCount }) => (names.length === 0 ? none : namesText(names, nameCount)),
          },
          {
            heading: 'Regions',
            cell: ({ regions }) =>
              html`${regions.map((region, index) => [index > 0 && ' ', regionLabel(region)])}`,
          },
          { heading: 'Last seen', cell: ({ seenAt }) => time(seenAt) },
        ],
        certificates,
      ),
    )
  }
  ${
    domain !== undefined &&
    card(
      { id: 'domain', title: 'Domain' },
      facts([
        ['Name', named(domain.name)],
        ['Expires', html`${exactTime(domain.expiresAt)}; ${leftText(domain)}`],
        ['Registrar', domain.registrar === null ? none : named(domain.registrar)],
        ['Checked', time(domain.askedAt)],
      ]),
    )
  }
  ${
    domainUnknown !== undefined &&
    domainUnknown.name !== null &&
    card(
      { id: 'domain', title: 'Domain' },
      facts([
        ['Name', named(domainUnknown.name)],
        ['Expires', `not known: ${domainUnknown.reason}`],
        ['Checked', domainUnknown.askedAt === null ? none : time(domainUnknown.askedAt)],
      ]),
    )
  }
`
