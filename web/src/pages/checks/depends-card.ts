import type { CheckParents, RelatedCheck } from '@probe-mesh/contracts/check/check-parents'
import { html, type Html } from '@probe-mesh/runtime/html'
import type { Asked } from '../../api/ask.ts'
import { card } from '../../html/components/card.ts'
import { liveStatus } from '../../html/live.ts'
import { exactTime, named } from '../../html/measures.ts'

/** `Alerts are held: Database is down since 09:47.` Empty while nothing holds them. */
export const heldNotice = (found: Asked<CheckParents>): Html => {
  const heldBy = found.ok ? found.value.heldBy : null
  return html`<div data-live="held">
    ${
      heldBy !== null &&
      html`<p class="notice">
        <strong>Alerts are held:</strong> <a href="/dashboard/checks/${heldBy.id}">${named(heldBy.name)}</a>
        ${
          heldBy.endedAt !== null
            ? html`was down until ${exactTime(heldBy.endedAt)}. This check alerts if it still fails when it is
              measured again.`
            : heldBy.isDown
              ? html`is down since ${exactTime(heldBy.since)}. Its message names this check.`
              : html`fails since ${exactTime(heldBy.since)}, which is being confirmed.`
        }
      </p>`
    }
  </div>`
}

/** What a check depends on, and what depends on it. Nothing without either. */
export const dependsCard = (id: string, found: Asked<CheckParents>): Html | null => {
  if (!found.ok) return html`<p class="problems">Dependences could not be read: ${found.problem.message}</p>`
  const { parents, children, childCount } = found.value
  if (parents.length + children.length === 0) return null
  return card(
    { id: 'depends', title: 'Depends on', actions: html`<a href="/dashboard/checks/${id}/edit">Edit</a>` },
    html`<div data-live="depends">
      ${parents.length === 0 ? html`<p class="muted">No other check.</p>` : listOf(parents)}
      ${
        childCount > 0 &&
        html`<h3>Depend on it</h3>
          ${listOf(children)}
          ${childCount > children.length && html`<p class="muted">${childCount - children.length} more.</p>`}`
      }
    </div>`,
  )
}

const listOf = (checks: readonly RelatedCheck[]): Html =>
  html`<ul class="plain-list lines">
    ${checks.map(
      (check) =>
        html`<li><a href="/dashboard/checks/${check.id}">${named(check.name)}</a> ${liveStatus(check)}</li>`,
    )}
  </ul>`
