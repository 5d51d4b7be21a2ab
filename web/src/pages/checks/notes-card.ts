import type { CheckNotes } from '@probe-mesh/contracts/check/check-notes'
import { html, withBreaks, type Html } from '@probe-mesh/runtime/html'
import type { Asked } from '../../api/ask.ts'
import { card, facts } from '../../html/components/card.ts'
import { named } from '../../html/measures.ts'
import { listPath } from './check-filter.ts'

/** What people know about a check. Nothing if nothing is noted. */
export const notesCard = (id: string, found: Asked<CheckNotes>): Html | null => {
  if (!found.ok) return html`<p class="problems">Notes could not be read: ${found.problem.message}</p>`
  const { runbookUrl, notes, owner } = found.value
  if (runbookUrl === null && notes === '' && owner === null) return null
  return card(
    {
      id: 'notes',
      title: 'Runbook and notes',
      actions: html`<a href="/dashboard/checks/${id}/edit">Edit</a>`,
    },
    html`${facts([
      [
        'Runbook',
        runbookUrl !== null &&
          html`<a href="${runbookUrl}" rel="noopener noreferrer nofollow"><bdi>${runbookUrl}</bdi></a>`,
      ],
      ['Owner', owner !== null && html`<a href="${listPath}?owner=${owner.id}">${named(owner.name)}</a>`],
    ])}
    ${notes !== '' && html`<p dir="auto">${withBreaks(notes)}</p>`}`,
  )
}
