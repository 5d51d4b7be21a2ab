import type { CheckDetail } from '@probe-mesh/contracts/check'
import { html } from '../../html/html.ts'
import type { Html } from '../../html/html.ts'
import { duration, milliseconds, percent, time } from '../../html/measures.ts'
import { table } from '../../html/table.ts'
import { checkWords, tag } from '../../html/tag.ts'

/** One check with its evidence: what each region saw, when, and how long that counts. */
export const checkPage = (check: CheckDetail): Html => html`
  <p>${check.paused ? 'Paused.' : tag(checkWords[check.status])} ${check.statusReason}</p>
  <dl>
    <dt>Address</dt>
    <dd><bdi>${check.url ?? check.target ?? 'none'}</bdi></dd>
    <dt>Since</dt>
    <dd>${time(check.statusSince)}</dd>
    <dt>Measured</dt>
    <dd>
      ${check.measuredAt === null ? 'never' : time(check.measuredAt)}; a reading counts for
      ${duration(check.staleAfterSeconds)}
    </dd>
    <dt>Every</dt>
    <dd>${duration(check.intervalSeconds)}</dd>
    ${
      check.vantage === 'local' &&
      html`<dt>Measured from</dt>
        <dd>one machine, which stands for every region</dd>`
    }
  </dl>
  ${
    check.regionStatuses.length > 0 &&
    html`<h2>Regions</h2>
      ${table(
        'What each region saw last',
        [
          { heading: 'Region', cell: ({ region }) => region },
          { heading: 'Status', cell: ({ status }) => tag(checkWords[status]) },
          { heading: 'Latency', isNumber: true, cell: ({ latencyMs }) => milliseconds(latencyMs) },
          { heading: 'Measured', cell: ({ measuredAt }) => time(measuredAt) },
          { heading: 'Fresh', cell: ({ fresh }) => (fresh ? 'yes' : 'no') },
          { heading: 'Reason', cell: ({ reason }) => reason ?? '' },
        ],
        check.regionStatuses,
      )}`
  }
  <h2>Uptime</h2>
  <p class="muted">Of the time that was measured; what was not measured counts neither way.</p>
  <dl>
    <dt>24 hours</dt>
    <dd>${percent(check.uptime.day)}</dd>
    <dt>7 days</dt>
    <dd>${percent(check.uptime.week)}</dd>
    <dt>30 days</dt>
    <dd>${percent(check.uptime.month)}</dd>
    <dt>90 days</dt>
    <dd>${percent(check.uptime.quarter)}</dd>
  </dl>
`
