import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { icon } from './icon.ts'

/** What a member did, said once on the next page. The words are ours: a cookie names them and cannot hold others. */
export const doneWords = {
  'account-saved': 'Account saved.',
  'agent-created': 'Agent created.',
  'agent-revoked': 'Agent revoked.',
  'agent-rotated': 'Agent token replaced.',
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
  'checks-changed': 'Checks changed.',
  'component-published': 'Check published.',
  'component-saved': 'Component saved.',
  'component-unpublished': 'Check removed from the status page.',
  'delivery-retried': 'Delivery queued again.',
  'error-key-created': 'Key created.',
  'error-key-revoked': 'Key revoked.',
  'incident-posted': 'Incident posted.',
  'incident-updated': 'Update posted.',
  'issue-saved': 'Issue saved.',
  'key-revoked': 'Key revoked. It stops working within 5 seconds.',
  'logged-out-others': 'Other sessions ended.',
  'page-created': 'Status page created.',
  'page-deleted': 'Status page deleted.',
  'page-saved': 'Status page saved. Visitors see the change within 10 seconds.',
  'password-changed': 'Password changed. All other sessions ended.',
  'project-created': 'Project created.',
  'project-deleted': 'Project deleted.',
  'project-saved': 'Project saved.',
  'rule-created': 'Alert rule created.',
  'rule-deleted': 'Alert rule deleted.',
  'rule-saved': 'Alert rule saved.',
  'run-asked': 'Measured. The newest readings are below.',
  'run-partly': 'Measured. Some agents did not answer in time: their last readings are older.',
  'session-ended': 'Session ended.',
  'source-map-deleted': 'Source map deleted.',
  'source-map-uploaded': 'Source map uploaded.',
  'subscriber-removed': 'Subscriber removed.',
  'test-refused': 'Test not delivered. The answer is below.',
  'test-sent': 'Test delivered. The channel gets alerts now.',
  'window-cancelled': 'Maintenance cancelled.',
  'window-ended': 'Maintenance ended.',
  'window-saved': 'Maintenance saved.',
} as const
export type DoneWord = keyof typeof doneWords

/** An act that has been done; `undo` is the address that a form posts to. */
export type Done = { word: DoneWord; undo: string | null }

/** `check-paused` or `check-paused /dashboard/checks/…/resume` as a cookie has it; null for anything else. Pure. */
export const parseDone = (text: string): Done | null => {
  const [word = '', undo] = text.split(' ')
  if (!Object.hasOwn(doneWords, word)) return null
  if (undo !== undefined && !/^\/dashboard\/[\w/-]+$/.test(undo)) return null
  return { word: word as DoneWord, undo: undo ?? null }
}

/** Where a page says what was done; empty until then, so that readers hear what is put into it. */
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
