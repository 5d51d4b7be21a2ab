import type { ErrorUsage } from '@probe-mesh/contracts/error-tracking/error-project'
import type { Me } from '@probe-mesh/contracts/account/account'
import type { Session } from '@probe-mesh/contracts/account/session'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import { problemSummary, textField } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { duration, exactTime, named, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { usageBanner, usageBar } from '../errors/usage.ts'

export type AccountShown = {
  me: Me
  errorUsage: ErrorUsage
  sessions: readonly Session[]
  /** As the server is configured. */
  tiers: Readonly<Record<Tier, TierLimits>>
  /** Whether the visitor logged in by a mailed link, after which no current password may be needed. */
  isByLink: boolean
  /** Whether the password was changed just now. */
  isChanged: boolean
  form: FormState
}

export const accountPage = ({
  me,
  errorUsage,
  sessions,
  tiers,
  isByLink,
  isChanged,
  form,
}: AccountShown): Html => html`
  ${
    isChanged &&
    html`<p class="done" role="status">The password was changed. Every other session was ended.</p>`
  }
  ${usage(me)} ${errorEvents(errorUsage)} ${sessionList(sessions)} ${passwordForm(form, isByLink)}
  ${tierTable(me.account.tier, tiers)}
`

const usage = ({ account, limits, regions }: Me): Html => html`
  <h2>Usage</h2>
  <ul>
    <li>Tier: ${account.tier}</li>
    <li>Checks: ${limits.monitors.used} of ${limits.monitors.allowed}</li>
    <li>Fastest interval: ${duration(limits.minimumIntervalSeconds)}</li>
    <li>Reads left now: ${limits.reads.left}</li>
    <li>Writes left now: ${limits.writes.left}</li>
    <li>Regions: ${regions.join(', ')}</li>
  </ul>
`

const errorEvents = (spent: ErrorUsage): Html => html`
  <h2>Error events</h2>
  ${usageBanner(spent)} ${usageBar(spent)}
`

const sessionList = (sessions: readonly Session[]): Html => html`
  <h2>Where you are logged in</h2>
  ${table(
    'Sessions',
    [
      {
        heading: 'Browser',
        cell: ({ userAgent }) => named(userAgent === '' ? 'not said' : userAgent),
      },
      { heading: 'From', cell: ({ address }) => address },
      { heading: 'By', cell: ({ openedBy }) => (openedBy === 'link' ? 'mailed link' : 'password') },
      { heading: 'Since', cell: ({ createdAt }) => time(createdAt) },
      { heading: 'Last seen', cell: ({ lastSeenAt }) => time(lastSeenAt) },
      { heading: 'Ends', cell: ({ expiresAt }) => exactTime(expiresAt) },
      {
        heading: 'Act',
        cell: ({ id, current, address, createdAt }) =>
          current
            ? 'this one'
            : html`<form method="post" action="/dashboard/account/sessions/${id}/end">
                <button type="submit">
                  End<span class="unseen"> the session from ${address}, since ${createdAt}</span>
                </button>
              </form>`,
      },
    ],
    sessions,
  )}
  ${
    sessions.some(({ current }) => !current) &&
    html`<form method="post" action="/dashboard/account/sessions/end-others">
      <p class="actions"><button type="submit">End all other sessions</button></p>
    </form>`
  }
`

const passwordForm = (form: FormState, isByLink: boolean): Html => html`
  <h2>Change the password</h2>
  ${problemSummary(form, ['currentPassword', 'newPassword'])}
  <form method="post" action="/dashboard/account/password">
    <div class="fields">
      ${textField(form, {
        name: 'currentPassword',
        label: 'Current password',
        type: 'password',
        autocomplete: 'current-password',
        isRequired: !isByLink,
        ...(isByLink ? { hint: 'May be left empty for 15 minutes after logging in by a mailed link.' } : {}),
      })}
      ${textField(form, {
        name: 'newPassword',
        label: 'New password',
        type: 'password',
        autocomplete: 'new-password',
        hint: 'At least 12 characters. Every other session ends.',
        isRequired: true,
      })}
    </div>
    <p class="actions"><button class="primary" type="submit">Change the password</button></p>
  </form>
`

const tierTable = (own: Tier, tiers: AccountShown['tiers']): Html => html`
  <h2>Tiers</h2>
  <p>As this installation has them.</p>
  ${table(
    'Tiers',
    [
      { heading: 'Tier', cell: ([tier]) => (tier === own ? `${tier} (yours)` : tier) },
      { heading: 'Checks', isNumber: true, cell: ([, { monitors }]) => monitors },
      { heading: 'Fastest interval', cell: ([, limits]) => duration(limits.intervalSecondsMin) },
      { heading: 'Status pages', isNumber: true, cell: ([, { statusPages }]) => statusPages },
      { heading: 'Private agents', isNumber: true, cell: ([, { agents }]) => agents },
      { heading: 'Readings kept', cell: ([, { rawDays }]) => `${rawDays} days` },
      { heading: 'Hours kept', cell: ([, { hourDays }]) => `${hourDays} days` },
      {
        heading: 'Error events a month',
        isNumber: true,
        cell: ([, { errorEventsPerMonth }]) => errorEventsPerMonth,
      },
      { heading: 'REST API and writing tools', cell: ([, { rest }]) => (rest ? 'yes' : 'no') },
    ],
    Object.entries(tiers) as [Tier, TierLimits][],
  )}
`
