import type { Alert } from '@probe-mesh/contracts/open-alert/open-alert'
import { card } from '../../html/components/card.ts'
import { icon } from '../../html/components/icon.ts'
import { named, time } from '../../html/measures.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { snoozeChoices } from './snooze.ts'

/** Where an act leads back to. */
type ActedFrom = 'check' | 'overview'

/** `acknowledged by Ada 12:03, snoozed until 16:00`, or that nobody has taken it. */
const takenText = (alert: Alert): Html => {
  if (alert.resolvedBy !== null) {
    return html`messages ended by ${named(alert.resolvedBy)} ${time(alert.resolvedAt)}`
  }
  const taken =
    alert.acknowledgedBy === null
      ? html`not acknowledged`
      : html`acknowledged by ${named(alert.acknowledgedBy)} ${time(alert.acknowledgedAt)}`
  return alert.snoozedUntil === null ? taken : html`${taken}, snoozed until ${time(alert.snoozedUntil)}`
}

const form = (alert: Alert, act: string, from: ActedFrom, fields: Html): Html =>
  html`<form class="actions" method="post" action="/dashboard/alerts/${alert.id}/${act}">
    <input type="hidden" name="from" value="${from}" />${fields}
  </form>`

const acknowledgeForm = (alert: Alert, from: ActedFrom): Html | null =>
  alert.acknowledgedAt === null && alert.resolvedAt === null
    ? form(
        alert,
        'acknowledge',
        from,
        html`<button class="primary" type="submit" aria-label="Acknowledge the alert on ${alert.checkName}">
          Acknowledge
        </button>`,
      )
    : null

/** The open alert of a check, and what a member can do. @param zone of the member */
export const alertCard = (alert: Alert, zone: string): Html =>
  card(
    { id: 'alert', title: 'Alert' },
    html`<p>
        ${icon('alert')} Open since ${time(alert.since)}: ${takenText(alert)}. ${remindersText(alert)}
        ${levelText(alert)}
      </p>
      <p class="muted small-print">
        ${alert.rules.length === 1 ? 'Rule' : 'Rules'}:
        ${alert.rules.map(({ id, name }, index) => html`${index > 0 && ', '}<a href="/dashboard/rules/${id}">${named(name)}</a>`)}
      </p>
      ${
        alert.resolvedAt === null &&
        html`${acknowledgeForm(alert, 'check')}
        ${
          alert.acknowledgedAt === null &&
          form(
            alert,
            'snooze',
            'check',
            html`<input type="hidden" name="checkId" value="${alert.checkId}" />
              <label for="snooze-for">Snooze</label>
              <select id="snooze-for" name="for">
                ${snoozeChoices(zone).map(({ value, label }) => html`<option value="${value}">${label}</option>`)}
              </select>
              <label for="snooze-minutes">or minutes</label>
              <input id="snooze-minutes" name="minutes" type="number" min="1" max="10080" />
              <button type="submit">Snooze</button>`,
          )
        }
        ${form(
          alert,
          'resolve',
          'check',
          html`<button type="submit" aria-describedby="resolve-hint">End messages</button>
            <span class="muted" id="resolve-hint"
              >No more messages about this outage. The check is measured as before.</span
            >`,
        )}`
      }`,
  )

const levelText = ({ escalation }: Alert): Html | false =>
  escalation !== null &&
  html`Level ${escalation.level} of
  ${named(escalation.policy)}${escalation.round > 1 && `, repeat ${escalation.round - 1},`} was notified
  ${time(escalation.at)}.`

const remindersText = ({ notified, reminders }: Alert): string => {
  if (!notified) return 'No message was sent yet.'
  if (reminders === 0) return 'No reminder was sent.'
  return reminders === 1 ? '1 reminder was sent.' : `${reminders} reminders were sent.`
}

/** Lines of the overview: alerts that no one has taken, and since when. */
export const alertLines = (alerts: readonly Alert[]): Html[] =>
  alerts.map(
    (alert) =>
      html`<li>
        ${icon('alert')}
        <div>
          <a href="/dashboard/checks/${alert.checkId}">${named(alert.checkName)}</a> is ${alert.status}, alert
          since ${time(alert.since)}: ${takenText(alert)} ${acknowledgeForm(alert, 'overview')}
        </div>
      </li>`,
  )
