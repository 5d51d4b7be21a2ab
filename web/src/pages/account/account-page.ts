import type { ErrorUsage } from '@probe-mesh/error-tracking/contracts/error-project'
import type { Profile } from '@probe-mesh/contracts/account/profile'
import type { Me } from '@probe-mesh/contracts/account/account'
import type { Session } from '@probe-mesh/contracts/account/session'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import {
  emptyForm,
  problemsOf,
  problemSummary,
  radioField,
  textField,
  type FormState,
} from '../../html/components/form.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { duration, exactTime, named, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { card, stats } from '../../html/components/card.ts'
import { regionLabel } from '../../html/components/region-marks.ts'
import { newPasswordField } from '../../html/components/password-field.ts'
import { rowsTable } from '../../html/components/rows.ts'
import { themes, type Theme } from '../../html/theme.ts'
import { profileCards } from './profile-cards.ts'
import { browserName } from './browser-name.ts'
import { usageBanner, usageBar } from './error-usage.ts'

export type AccountShown = {
  me: Me
  profile: Profile
  /** Of the member's browser. */
  zone: string
  /** null: error tracking is off. */
  errorUsage: ErrorUsage | null
  sessions: readonly Session[]
  /** As the server is configured. */
  tiers: Readonly<Record<Tier, TierLimits>>
  /** Whether the visitor logged in by a mailed link, after which no current password may be needed. */
  isByLink: boolean
  theme: Theme
  form: FormState
}

export const accountPage = ({
  me,
  profile,
  zone,
  errorUsage,
  sessions,
  tiers,
  isByLink,
  theme,
  form,
}: AccountShown): Html => html`
  ${planCard(me)}
  ${
    errorUsage !== null &&
    card({ id: 'events', title: 'Error events' }, html`${usageBanner(errorUsage)} ${usageBar(errorUsage)}`)
  }
  ${card({ id: 'sessions', title: 'Sessions', actions: endOthers(sessions) }, sessionList(sessions))}
  <div class="cards">
    ${profileCards(profile, zone, isAbout(form, profileFields) ? form : emptyForm)}
    ${card({ id: 'password', title: 'Password' }, passwordForm(isAbout(form, ['theme', ...profileFields]) ? emptyForm : form, isByLink))}
    ${card({ id: 'theme', title: 'Theme' }, themeForm(isAbout(form, ['theme']) ? form : emptyForm, theme))}
    ${card({ id: 'zone-note', title: 'Time zone' }, html`<p>Pages show times in the time zone of your browser. Without JavaScript, times are in UTC.</p>`)}
  </div>
  ${tierTable(me.account.tier, tiers)}
`

const profileFields = ['name', 'timeZone'] as const

/** Whether a refused form is the one with these fields. */
const isAbout = (form: FormState, names: readonly string[]): boolean =>
  names.some((name) => problemsOf(form, name).length > 0)

/** `growth` as `Growth`. */
const planName = (tier: string): string => tier.charAt(0).toUpperCase() + tier.slice(1)

const planCard = ({ account, limits, regions }: Me): Html =>
  card(
    { id: 'plan', title: `${planName(account.tier)} plan` },
    html`${stats([
        {
          label: 'Checks',
          value: `${limits.monitors.used} of ${limits.monitors.allowed}`,
          note: html`<progress
            class="spent"
            max="${Math.max(limits.monitors.allowed, 1)}"
            value="${Math.min(limits.monitors.used, Math.max(limits.monitors.allowed, 1))}"
            aria-label="Checks used"
          ></progress>`,
        },
        { label: 'Shortest interval', value: duration(limits.minimumIntervalSeconds) },
        { label: 'API reads left', value: limits.reads.left },
        { label: 'API writes left', value: limits.writes.left },
      ])}
      <p class="muted">Regions: ${regions.map((region) => [regionLabel(region), ' '])}</p>`,
  )

const endOthers = (sessions: readonly Session[]): Html | null =>
  sessions.some(({ current }) => !current)
    ? html`<form method="post" action="/dashboard/account/sessions/end-others">
        <button type="submit">End all other sessions</button>
      </form>`
    : null

const sessionList = (sessions: readonly Session[]): Html =>
  rowsTable(
    'Sessions',
    [
      {
        heading: 'Browser',
        cell: ({ userAgent, current, openedBy }) =>
          html`<span title="${userAgent}">${named(browserName(userAgent))}</span>
            <span class="target"
              >${current && 'This session · '}logged in by ${openedBy === 'link' ? 'link' : 'password'}</span
            >`,
      },
      { heading: 'Address', cell: ({ address }) => address },
      { heading: 'Last seen', cell: ({ lastSeenAt }) => time(lastSeenAt) },
      { heading: 'Since', cell: ({ createdAt }) => time(createdAt) },
      { heading: 'Expires', cell: ({ expiresAt }) => exactTime(expiresAt) },
      {
        heading: 'Actions',
        isActions: true,
        cell: ({ id, current, address, userAgent }) =>
          !current &&
          html`<form method="post" action="/dashboard/account/sessions/${id}/end">
            <button type="submit">
              End<span class="unseen"> session of ${browserName(userAgent)} at ${address}</span>
            </button>
          </form>`,
      },
    ],
    sessions,
  )

const passwordForm = (form: FormState, isByLink: boolean): Html => html`
  ${problemSummary(form, ['currentPassword', 'newPassword'])}
  <form method="post" action="/dashboard/account/password">
    <div class="fields">
      ${textField(form, {
        name: 'currentPassword',
        label: 'Current password',
        type: 'password',
        autocomplete: 'current-password',
        isRequired: !isByLink,
        ...(isByLink ? { hint: 'Optional for 15 minutes after logging in by a link.' } : {}),
      })}
      ${newPasswordField(form, { name: 'newPassword', label: 'New password', hint: 'All other sessions end.' })}
    </div>
    <p class="actions"><button class="primary" type="submit">Change password</button></p>
  </form>
`

const themeNames: Readonly<Record<Theme, string>> = {
  system: 'As my device',
  light: 'Light',
  dark: 'Dark',
}

const themeForm = (form: FormState, theme: Theme): Html =>
  html`<form method="post" action="/dashboard/account/theme">
    <div class="fields">
      ${radioField(form, {
        name: 'theme',
        label: 'Colours',
        hint: 'For the dashboard in this browser. Public pages follow your device.',
        fallback: theme,
        choices: themes.map((value) => ({ value, label: themeNames[value] })),
      })}
    </div>
    <p class="actions"><button type="submit">Save theme</button></p>
  </form>`

const tierTable = (own: Tier, tiers: AccountShown['tiers']): Html => html`
  ${card(
    { id: 'plans', title: 'Plans' },
    table(
      'Plans',
      [
        {
          heading: 'Plan',
          cell: ([tier]) => (tier === own ? `${planName(tier)} (current)` : planName(tier)),
        },
        { heading: 'Checks', isNumber: true, cell: ([, { monitors }]) => monitors },
        { heading: 'Shortest interval', cell: ([, limits]) => duration(limits.intervalSecondsMin) },
        { heading: 'Status pages', isNumber: true, cell: ([, { statusPages }]) => statusPages },
        { heading: 'Private agents', isNumber: true, cell: ([, { agents }]) => agents },
        { heading: 'Readings kept', cell: ([, { rawDays }]) => `${rawDays} days` },
        { heading: 'Hourly figures kept', cell: ([, { hourDays }]) => `${hourDays} days` },
        {
          heading: 'Error events a month',
          isNumber: true,
          cell: ([, { errorEventsPerMonth }]) => errorEventsPerMonth,
        },
        { heading: 'REST API and write tools', cell: ([, { rest }]) => (rest ? 'yes' : 'no') },
      ],
      Object.entries(tiers) as [Tier, TierLimits][],
    ),
  )}
`
