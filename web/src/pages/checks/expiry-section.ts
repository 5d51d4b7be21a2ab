import type { CheckDetail } from '@probe-mesh/contracts/check/check'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { exactTime, named, none, time } from '../../html/measures.ts'
import { regionName } from '../../html/region-name.ts'
import { table } from '../../html/components/table.ts'

type Expiring = Pick<CheckDetail, 'certificates' | 'domain'>

/** Of more names it says how many there are. */
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

/** The certificates that the target shows and its domain's registration; nothing where neither is known. */
export const expirySection = ({ certificates = [], domain }: Expiring): Html => html`
  ${
    certificates.length > 0 &&
    html`<h2>Certificate</h2>
      ${table(
        'Certificates that the target shows',
        [
          { heading: 'Expires', cell: ({ expiresAt }) => exactTime(expiresAt) },
          { heading: 'Days left', isNumber: true, cell: left },
          { heading: 'Issuer', cell: ({ issuer }) => (issuer === null ? none : named(issuer)) },
          {
            heading: 'Names',
            cell: ({ names, nameCount }) => (names.length === 0 ? none : namesText(names, nameCount)),
          },
          {
            heading: 'Shown in',
            cell: ({ regions }) =>
              html`${regions.map((region, index) => [index > 0 && ', ', regionName(region)])}`,
          },
          { heading: 'Last shown', cell: ({ seenAt }) => time(seenAt) },
        ],
        certificates,
      )}`
  }
  ${
    domain !== undefined &&
    html`<h2>Domain</h2>
      <dl>
        <dt>Name</dt>
        <dd>${named(domain.name)}</dd>
        <dt>Expires</dt>
        <dd>${exactTime(domain.expiresAt)}; ${leftText(domain)}</dd>
        <dt>Registrar</dt>
        <dd>${domain.registrar === null ? none : named(domain.registrar)}</dd>
        <dt>Told by its registry</dt>
        <dd>${time(domain.askedAt)}</dd>
      </dl>`
  }
`
