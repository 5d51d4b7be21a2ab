import type { CheckDetail } from '@probe-mesh/contracts/check'
import { html } from '../../html/html.ts'
import type { Html } from '../../html/html.ts'
import { named, none, time } from '../../html/measures.ts'
import { regionName } from '../../html/region-name.ts'
import { table } from '../../html/table.ts'

type Expiring = Pick<CheckDetail, 'certificates' | 'domain'>

/** `6`, or `expired`. */
const left = ({ daysLeft }: { daysLeft: number }): string =>
  daysLeft < 0 ? 'expired' : String(daysLeft)

/** The certificates that the target shows and its domain's registration; nothing where neither is known. */
export const expirySection = ({ certificates = [], domain }: Expiring): Html => html`
  ${
    certificates.length > 0 &&
    html`<h2>Certificate</h2>
      ${table(
        'Certificates that the target shows',
        [
          { heading: 'Days left', isNumber: true, cell: left },
          { heading: 'Expires', cell: ({ expiresAt }) => time(expiresAt) },
          { heading: 'Issuer', cell: ({ issuer }) => (issuer === null ? none : named(issuer)) },
          {
            heading: 'Names',
            cell: ({ names, nameCount }) =>
              names.length === 0
                ? none
                : html`${names.map((name, index) => [index > 0 && ', ', named(name)])}${nameCount > names.length && ` and ${nameCount - names.length} more`}`,
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
        <dd>${time(domain.expiresAt)}; days left: ${left(domain)}</dd>
        <dt>Registrar</dt>
        <dd>${domain.registrar === null ? none : named(domain.registrar)}</dd>
        <dt>Told by its registry</dt>
        <dd>${time(domain.askedAt)}</dd>
      </dl>`
  }
`
