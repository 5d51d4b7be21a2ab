import type { CatalogAnswer, FactorKind } from '@probe-mesh/contracts/outage/answers'
import type { SharedIncident } from '@probe-mesh/contracts/outage/internet'
import type { GradedProbe } from '@probe-mesh/contracts/outage/catalog-grade'
import { serviceWords, standing } from '../../html/answer-words.ts'
import { askedTitle } from '../../html/asked-words.ts'
import { card } from '../../html/components/card.ts'
import { logo } from '../../html/components/logo.ts'
import { serviceLink } from '../../html/service-tile.ts'
import { tag, type Wording } from '../../html/components/tag.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { named, time } from '../../html/measures.ts'
import { factorNames } from './incident-words.ts'

type Listed = CatalogAnswer['services'][number]
/** Infrastructure that several services share, with these services. */
type Shared = { kind: FactorKind; name: string; services: Listed[] }

/** A single service shares nothing. */
const servicesMin = 2
const shownMax = 18

/** Shared infrastructure: that with most failures first, then by the number of services. */
export const sharedOf = (services: readonly Listed[]): Shared[] => {
  const found = new Map<string, Shared>()
  for (const service of services) {
    for (const { kind, name } of service.factors) {
      const key = `${kind} ${name}`
      const shared = found.get(key) ?? { kind, name, services: [] }
      shared.services.push(service)
      found.set(key, shared)
    }
  }
  return [...found.values()]
    .filter((shared) => shared.services.length >= servicesMin)
    .toSorted(
      (a, b) =>
        failingOf(b).length - failingOf(a).length ||
        b.services.length - a.services.length ||
        (a.name < b.name ? -1 : 1),
    )
}

const failingOf = ({ services }: Shared): Listed[] => services.filter(({ level }) => level.startsWith('down'))

const tones = ['bad', 'uncertain', 'good', 'silent'] as const

/** Every shared provider with one mark per service: the number of users, and the failing ones. */
export const factorGraph = (services: readonly Listed[]): Html => {
  const all = sharedOf(services)
  const shown = all.slice(0, shownMax)
  return card(
    {
      id: 'shared',
      title: 'What services share',
      about: all.length === 0 ? null : 'One mark is one service. A mark alone shows no shared outage.',
    },
    all.length === 0
      ? html`<p class="muted">No provider is known that several services share.</p>`
      : html`<ul class="factors">
            ${shown.map(factorNode)}
          </ul>
          ${all.length > shown.length && html`<p class="muted small-print">${all.length - shown.length} more providers have fewer services.</p>`}`,
  )
}

const factorNode = (shared: Shared): Html => {
  const { kind, name, services } = shared
  const failing = failingOf(shared)
  const words = services.map(({ level, shows }) => standing(level, shows))
  return html`<li class="${failing.length > 0 ? 'is-bad' : ''}">
    <p class="factor-head">
      <strong>${named(name)}</strong> <span class="muted">${factorNames[kind]}</span>
      <span class="count">${services.length}</span>
    </p>
    ${markRow(words)}
    ${
      failing.length > 0 &&
      html`<ul class="plain-list small-print">
        ${failing.map(
          (service) =>
            html`<li title="${askedTitle(service)}">
              ${serviceLink(service)} ${tag(serviceWords[service.level])}
            </li>`,
        )}
      </ul>`
    }
  </li>`
}

/** Marks of one tone are grouped; the text counts them. */
const markRow = (words: readonly Wording[]): Html => {
  const counts = new Map<string, number>()
  for (const { text } of words) counts.set(text, (counts.get(text) ?? 0) + 1)
  const text = [...counts].map(([state, count]) => `${count} ${state}`).join(', ')
  const sorted = tones.flatMap((tone) => words.filter((word) => word.tone === tone))
  return html`<p class="region-marks factor-marks" role="img" aria-label="${text}" title="${text}">
    ${sorted.map(({ tone }) => html`<i class="${tone}"></i>`)}
  </p>`
}

type Member = SharedIncident['members'][number] & { probes: readonly GradedProbe[] }

/** One cause and the services that fail because of it, joined by lines. */
export const causeTree = (cause: { kind: string; name: string }, members: readonly Member[]): Html =>
  html`<div class="cause">
    <p class="cause-node"><span class="muted">${cause.kind}</span> <strong>${named(cause.name)}</strong></p>
    <ul>
      ${members.map(
        (member) =>
          html`<li title="${askedTitle(member)}">
            ${logo(member)} ${serviceLink(member)}
            <span class="muted">failing since ${time(member.since)}</span>
          </li>`,
      )}
    </ul>
  </div>`
