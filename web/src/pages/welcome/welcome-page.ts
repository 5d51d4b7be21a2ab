import type { CheckReceivers } from '@probe-mesh/contracts/alert/check-receivers'
import type { CheckDetail, RegionStatus } from '@probe-mesh/contracts/check/check'
import { problemSummary, textField, type FormState } from '../../html/components/form.ts'
import { attribute, html, type Html } from '@probe-mesh/runtime/html'
import { liveStatus } from '../../html/live.ts'
import { duration, milliseconds, named, none, time } from '../../html/measures.ts'
import { card } from '../../html/components/card.ts'
import { regionLabel } from '../../html/components/region-marks.ts'
import { table } from '../../html/components/table.ts'
import { checkWords, tag } from '../../html/components/tag.ts'

/** One field: the first target. */
export const firstCheckPage = (form: FormState): Html => html`
  ${problemSummary(form, ['url'])}
  <form class="card welcome" method="post" action="/dashboard/welcome">
    <div class="fields">
      ${textField(form, {
        name: 'url',
        label: 'Address',
        hint: 'Such as example.org or https://example.org/health. Up means: it answers with a status from 200 to 299.',
        inputMode: 'url',
        autocomplete: 'url',
        isRequired: true,
      })}
    </div>
    <p class="actions">
      <button class="primary" type="submit">Start measuring</button>
      <a href="/dashboard/checks/new">Another type: port, DNS, mail server, journey, job</a>
    </p>
  </form>
`

/**
 * How long the page waits for the first readings of a check, ms: a region makes at most two attempts. Later
 * readings come with the first slots.
 */
export const awaitedMsMax = 90_000

/** Whether first readings are still expected. */
export const isAwaited = (
  { regionStatuses, createdAt }: Pick<CheckDetail, 'regionStatuses' | 'createdAt'>,
  nowMs: number,
): boolean =>
  regionStatuses.some(({ measuredAt }) => measuredAt === null) && nowMs - Date.parse(createdAt) < awaitedMsMax

/**
 * The first readings of a check as they arrive; `islands/awaited.js` refreshes the page.
 * @param receivers who is notified of its outages; null: unknown
 */
export const firstReadingsPage = (
  check: CheckDetail,
  nowMs: number,
  receivers: CheckReceivers | null = null,
): Html => {
  const isWaiting = isAwaited(check, nowMs)
  return html`
    <p id="awaited-news" class="unseen" role="status"></p>
    <div id="awaited" ${attribute('data-awaited', isWaiting ? 'yes' : null)}>
      <section class="card">
        <p>${liveStatus(check)} <bdi class="code">${check.url ?? check.name}</bdi></p>
        <p data-news>${newsOf(check, isWaiting)}</p>
        ${table(
          'First reading of each region',
          [
            { heading: 'Region', cell: ({ region }: RegionStatus) => regionLabel(region) },
            {
              heading: 'State',
              cell: ({ status, measuredAt }) => (measuredAt === null ? 'waiting' : tag(checkWords[status])),
            },
            { heading: 'Latency', isNumber: true, cell: ({ latencyMs }) => milliseconds(latencyMs) },
            { heading: 'Measured', cell: ({ measuredAt }) => time(measuredAt) },
            { heading: 'Reason', cell: ({ reason }) => reason ?? none },
          ],
          check.regionStatuses,
        )}
      </section>
      <p class="muted small-print">
        As of
        ${time(new Date(nowMs).toISOString())}${check.vantage === 'local' && ' · all regions measured from this machine'}
        ${isWaiting && html` · <a href="/dashboard/welcome?check=${check.id}">Refresh</a>`}
      </p>
    </div>
    ${next(check, receivers)}
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
  return `${count}. No reading from ${missing.join(', ')} yet: the next one is expected within ${every}.`
}

const why = 'The results and reasons are below.'

/** What happens when the check goes down, and what can be added. */
const alerting = (receivers: CheckReceivers | null): Html => {
  const mailed = (receivers?.receivers ?? []).filter(
    ({ kind, notReached }) => kind !== 'channel' && notReached === null,
  )
  const [first] = mailed
  const where = 'in a chat, on a pager, on a phone or through a webhook.'
  if (first === undefined)
    return html`<a href="/dashboard/channels/new">Get alerted</a> when it goes down: ${where}`
  const others = mailed.length - 1
  return html`${named(first.name)}${others > 0 && ` and ${others} more`} ${others > 0 ? 'get' : 'gets'} a mail
    when it goes down. <a href="/dashboard/channels/new">Add a channel</a> to be alerted also ${where}`
}

const next = ({ id, intervalSeconds }: CheckDetail, receivers: CheckReceivers | null): Html =>
  card(
    { id: 'next', title: 'Next steps' },
    html`<ul class="next-steps">
      <li>${alerting(receivers)}</li>
      <li>
        <a href="/dashboard/checks/${id}">Open the check</a>, measured every ${duration(intervalSeconds)}.
      </li>
      <li><a href="/dashboard/pages">Publish it</a> on your status page.</li>
      <li>
        <a href="/dashboard/keys">Create an API key</a> for the command line, Terraform, REST or an assistant.
      </li>
      <li><a href="/dashboard/checks/new">Create another check</a>.</li>
    </ul>`,
  )
