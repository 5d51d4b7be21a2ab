import { html, type Html } from '@probe-mesh/runtime/html'
import { icon } from './icon.ts'

/**
 * Confirmations of actions, shown once on the next page. A cookie contains the key, so it cannot inject text.
 */
const doneWords = {
  'account-zone-saved': 'Time zone saved. Messages to channels use it now.',
  'address-asked': 'Confirmation mail queued. Its link works for 7 days.',
  'account-saved': 'Account saved.',
  'agent-revoked': 'Agent revoked.',
  'alert-acknowledged': 'Alert acknowledged. No more reminders; its receivers learn who took it.',
  'alert-resolved': 'Messages about this outage ended.',
  'alert-snoozed': 'Alert snoozed.',
  'channel-created': 'Channel created. Send a test to verify it.',
  'channel-deleted': 'Channel deleted.',
  'channel-saved': 'Channel saved.',
  'check-cloned': 'Check cloned.',
  'check-created': 'Check created. Every region measures it now.',
  'check-deleted': 'Check deleted.',
  'check-paused': 'Check paused.',
  'check-released': 'Heartbeat reset. The next successful run makes it operational.',
  'check-resumed': 'Check resumed.',
  'check-saved': 'Check saved.',
  'checks-created': 'Checks created. Every region measures them now.',
  'checks-changed': 'Checks changed.',
  'checks-published': 'Checks published.',
  'component-published': 'Check published.',
  'component-saved': 'Component saved.',
  'component-unpublished': 'Check removed from the status page.',
  'delivery-retried': 'Delivery queued again.',
  'error-key-created': 'Key created. The set-up shows its DSN.',
  'error-key-revoked': 'Key revoked.',
  'filter-deleted': 'Saved filter deleted.',
  'filter-saved': 'Filter saved. All members see it.',
  'filters-saved': 'Filters saved. They apply to new events.',
  'incident-posted': 'Incident posted. Visitors see it within 10 seconds.',
  'incident-updated': 'Update posted. Visitors see it within 10 seconds.',
  'invitation-revoked': 'Invitation revoked. Its link no longer works.',
  'issue-ignored': 'Issue ignored. It stays ignored when new events arrive.',
  'issue-reopened': 'Issue reopened.',
  'issue-resolved': 'Issue resolved. A new event reopens it.',
  'issue-resolved-next': 'Issue resolved in the next release.',
  'issues-changed': 'Issues changed.',
  'key-revoked': 'Key revoked. It stops working within 5 seconds.',
  'logged-out-others': 'Other sessions ended.',
  'logo-deleted': 'Logo deleted.',
  'logo-uploaded': 'Logo uploaded. Visitors see it now.',
  'member-invited': 'Invitation queued. Notifications show its delivery.',
  'member-removed': 'Member removed. All its sessions ended.',
  'page-arranged': 'Order saved. Visitors see it now.',
  'objective-deleted': 'Objective deleted.',
  'objective-saved': 'Objective saved.',
  'page-created': 'Status page created.',
  'page-deleted': 'Status page deleted.',
  'page-saved': 'Status page saved. Visitors see the change now.',
  'password-changed': 'Password changed. All other sessions ended.',
  'policy-deleted': 'Escalation policy deleted.',
  'policy-saved': 'Escalation policy saved.',
  'profile-saved': 'Saved. Mails to you use this time zone now.',
  'project-created': 'Project created. Set up an SDK to receive events.',
  'project-deleted': 'Project deleted.',
  'project-saved': 'Project saved.',
  'report-counted': 'Report counted. Thank you.',
  'report-repeated': 'Report not counted: one report per address counts in 15 minutes.',
  'rule-created': 'Alert rule created.',
  'rule-deleted': 'Alert rule deleted.',
  'rule-saved': 'Alert rule saved.',
  'run-asked': 'Measured. The newest readings are below.',
  'run-partly': 'Measured. Some agents did not answer in time: their last readings are older.',
  'schedule-deleted': 'On-call schedule deleted.',
  'calendar-replaced': 'The calendar has a new address. The former one has ended.',
  'schedule-saved': 'On-call schedule saved.',
  'scrubbing-saved': 'Scrubbing saved. It applies to new events.',
  'secret-deleted': 'Secret deleted.',
  'secret-saved': 'Secret saved. Checks use it now.',
  'telemetry-deleted': 'Push ended.',
  'telemetry-saved': 'Saved. The next push follows within seconds.',
  'session-ended': 'Session ended.',
  'source-maps-deleted': 'Source maps deleted.',
  'subscriber-removed': 'Subscriber removed.',
  'test-refused': 'Test not delivered. The answer is below.',
  'test-sent': 'Test delivered. The channel gets alerts now.',
  'theme-saved': 'Theme saved for this browser.',
  'window-cancelled': 'Maintenance cancelled. Visitors see it within 10 seconds.',
  'window-ended': 'Maintenance ended. Visitors see it within 10 seconds.',
  'window-saved': 'Maintenance saved. Visitors see it within 10 seconds.',
} as const
export type DoneWord = keyof typeof doneWords

/** A completed action; a form posts to `undo`. */
export type Done = { word: DoneWord; undo: string | null }

/**
 * Parses a cookie such as `check-paused` or `check-paused /dashboard/checks/…/resume`; null for anything
 * else.
 */
export const parseDone = (text: string): Done | null => {
  const [word = '', undo] = text.split(' ')
  if (!Object.hasOwn(doneWords, word)) return null
  if (undo !== undefined && !/^\/dashboard\/[\w/-]+$/.test(undo)) return null
  return { word: word as DoneWord, undo: undo ?? null }
}

/**
 * The region for a confirmation. It exists empty from the start, so that screen readers announce its text.
 */
export const toastRegion = (done: Done | null): Html =>
  html`<div class="toasts" id="toasts" role="status">
    ${
      done !== null &&
      html`<div class="toast">
        ${icon(done.word === 'test-refused' ? 'warning' : 'ok')}
        <p>${doneWords[done.word]}</p>
        ${
          done.undo !== null &&
          html`<form method="post" action="${done.undo}"><button type="submit">Undo</button></form>`
        }
      </div>`
    }
  </div>`
