import type { Incident } from '@probe-mesh/contracts/incident/incident'
import type { Component } from '@probe-mesh/contracts/status-page/status-page'
import { card } from '../../html/components/card.ts'
import { tag, type Wording } from '../../html/components/tag.ts'
import { named, time } from '../../html/measures.ts'
import { stateWords } from '../../html/publish-words.ts'
import { html, type Html } from '@probe-mesh/runtime/html'

/** One thing that an incident affects: a component, or a check that the page does not publish. */
export type Affected = {
  checkId: string
  name: string
  /** The present state on the page; null for an unpublished check. */
  state: Wording | null
  /** Start of a measured outage. */
  downAt: string | null
  downUntil: string | null
}

/**
 * Every component and check of an incident, named by a person or added by a measured outage.
 * @param checkNames by id; a deleted check has none.
 */
export const affectedBy = (
  incident: Incident,
  components: readonly Component[],
  checkNames: ReadonlyMap<string, string>,
): Affected[] => {
  const members = new Map((incident.members ?? []).map((member) => [member.checkId, member]))
  const named = components.filter(
    ({ id, checkId }) => (incident.componentIds ?? []).includes(id) || members.has(checkId),
  )
  const published = new Set(named.map(({ checkId }) => checkId))
  const own = published.size === 0 ? [incident.checkId] : []
  const others = [...new Set([...members.keys(), ...own])].filter((id) => !published.has(id))
  const downtimeOf = (checkId: string) => {
    const { downAt = null, downUntil = null } = members.get(checkId) ?? {}
    return { downAt, downUntil }
  }
  return [
    ...named.map(({ checkId, displayName, state }) => ({
      checkId,
      name: displayName,
      state: stateWords[state],
      ...downtimeOf(checkId),
    })),
    ...others.map((checkId) => ({
      checkId,
      name: checkNames.get(checkId) ?? 'deleted check',
      state: null,
      ...downtimeOf(checkId),
    })),
  ]
}

export const affectedCard = (affected: readonly Affected[], memberCount: number): Html => {
  const more = memberCount - affected.filter(({ downAt }) => downAt !== null).length
  return card(
    { id: 'affected', title: 'Affected components' },
    html`<ul class="row-list">
        ${affected.map(
          ({ checkId, name, state, downAt, downUntil }) =>
            html`<li>
              <a href="/dashboard/checks/${checkId}">${named(name)}</a>
              ${state === null ? html`<span class="muted">not on the page</span>` : tag(state)}
              ${
                downAt !== null &&
                html`<span class="muted"
                  >down ${time(downAt)}${downUntil !== null && html`, up again ${time(downUntil)}`}</span
                >`
              }
            </li> `,
        )}
      </ul>
      ${more > 0 && html`<p class="muted small-print">and ${more} more</p>`}`,
  )
}
