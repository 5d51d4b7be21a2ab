import type { CheckDetail, RegionStatus } from '@probe-mesh/contracts/check/check'
import { problemSummary, textField } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { attribute, html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { liveStatus } from '../../html/live.ts'
import { duration, milliseconds, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { checkWords, tag } from '../../html/components/tag.ts'

/** One field: what is to be measured. */
export const firstCheckPage = (form: FormState): Html => html`
  <p>
    Say what is to be measured. It is asked for from every region at once, and from then on for as long as you
    want.
  </p>
  ${problemSummary(form, ['url'])}
  <form method="post" action="/dashboard/welcome">
    <div class="fields">
      ${textField(form, {
        name: 'url',
        label: 'Address',
        hint: 'Such as example.org or https://example.org/health. It is up while it answers with a status from 200 to 299, where redirects lead.',
        inputMode: 'url',
        autocomplete: 'url',
        isRequired: true,
      })}
    </div>
    <p class="actions"><button class="primary" type="submit">Measure it</button></p>
  </form>
  <p>
    Something else, such as a port, a name server, a mail server or a job?
    <a href="/dashboard/checks/new">Make a check of another type</a>
  </p>
`

/**
 * How long readings of a new check are looked for on their own, ms: asking a region takes two
 * attempts at the most, and what did not come by then comes with the check's first slots.
 */
export const awaitedMsMax = 90_000

/** Whether readings are still to come that it is worth looking again for. Pure. */
export const isAwaited = (
  { regionStatuses, createdAt }: Pick<CheckDetail, 'regionStatuses' | 'createdAt'>,
  nowMs: number,
): boolean =>
  regionStatuses.some(({ measuredAt }) => measuredAt === null) && nowMs - Date.parse(createdAt) < awaitedMsMax

/** The first readings of a check as they come; `islands/awaited.js` looks again by itself. */
export const firstReadingsPage = (check: CheckDetail, nowMs: number): Html => {
  const isWaiting = isAwaited(check, nowMs)
  return html`
    <p id="awaited-news" class="unseen" role="status"></p>
    <div id="awaited" ${attribute('data-awaited', isWaiting ? 'yes' : null)}>
      <p>${liveStatus(check)} <bdi>${check.url ?? check.name}</bdi></p>
      <p data-news>${newsOf(check, isWaiting)}</p>
      ${table(
        'The first reading of each region',
        [
          { heading: 'Region', cell: ({ region }: RegionStatus) => region },
          {
            heading: 'Saw',
            cell: ({ status, measuredAt }) => (measuredAt === null ? 'nothing yet' : tag(checkWords[status])),
          },
          {
            heading: 'Latency',
            isNumber: true,
            cell: ({ latencyMs }) => milliseconds(latencyMs),
          },
          { heading: 'Measured', cell: ({ measuredAt }) => time(measuredAt) },
          { heading: 'Reason', cell: ({ reason }) => reason ?? '' },
        ],
        check.regionStatuses,
      )}
      <p class="muted">
        As of ${time(new Date(nowMs).toISOString())}.
        ${check.vantage === 'local' && 'One machine stands for every region.'}
      </p>
      ${isWaiting && html`<p><a href="/dashboard/welcome?check=${check.id}">Look again</a></p>`}
    </div>
    ${next(check)}
  `
}

const newsOf = (check: CheckDetail, isWaiting: boolean): string => {
  const { regionStatuses: all } = check
  const seen = all.filter(({ measuredAt }) => measuredAt !== null)
  const missing = all.filter(({ measuredAt }) => measuredAt === null).map(({ region }) => region)
  const isUp = seen.length > 0 && seen.every(({ status }) => status === 'up')
  const count = `${seen.length} of ${all.length} regions have measured it`
  if (missing.length === 0) {
    return isUp ? `All ${all.length} regions have measured it: it is up.` : `${count}. ${why}`
  }
  if (isWaiting) return `${count}${isUp ? ', and it is up there' : ''}. The others follow.`
  const every = duration(check.intervalSeconds)
  return `${count}. Nothing came from ${missing.join(', ')} yet: the next reading is due within ${every}.`
}

const why = 'What a region saw, and why, is below.'

const next = ({ id, intervalSeconds }: CheckDetail): Html => html`
  <h2>What next</h2>
  <ul>
    <li>
      <a href="/dashboard/checks/${id}">See the check</a>: it is measured every ${duration(intervalSeconds)}
      from now on.
    </li>
    <li><a href="/dashboard/channels/new">Be told when it goes down</a>, over a channel.</li>
    <li><a href="/dashboard/pages">Show it to others</a>, on your status page.</li>
    <li>
      <a href="/dashboard/keys">Make a key</a> for the command line, Terraform, the REST API, or an assistant
      over MCP.
    </li>
    <li><a href="/dashboard/checks/new">Make another check</a>.</li>
  </ul>
`
