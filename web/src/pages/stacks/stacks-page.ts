import { plateLevels, type CatalogAnswer, type PlateLevel } from '@probe-mesh/contracts/outage/answers'
import { probeGrades, type ProbeGrade } from '@probe-mesh/contracts/outage/catalog-grade'
import { standing } from '../../html/answer-words.ts'
import { askedTitle } from '../../html/asked-words.ts'
import { emptyState } from '../../html/components/card.ts'
import { logo } from '../../html/components/logo.ts'
import { tag } from '../../html/components/tag.ts'
import { howRead } from '../../html/how-read.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { named } from '../../html/measures.ts'

type Listed = CatalogAnswer['services'][number]
type Stack = CatalogAnswer['stacks'][number]

/** A stack with its services in the catalog. */
export type StackPlate = { stack: Stack; status: PlateLevel; services: Listed[] }

/**
 * Stacks, worst first. A stack is as bad as its worst member, so that no data is never healthy (S-1219).
 */
export const stackPlates = ({
  stacks,
  services,
}: Pick<CatalogAnswer, 'stacks' | 'services'>): StackPlate[] => {
  const bySlug = new Map(services.map((service) => [service.slug, service]))
  return stacks
    .map((stack) => {
      const members = stack.members.flatMap((slug) => bySlug.get(slug) ?? [])
      const levels = new Set(members.map(({ level }) => level))
      const status = plateLevels.find((level) => levels.has(level)) ?? 'no_data'
      return { stack, status, services: members }
    })
    .toSorted((a, b) => plateLevels.indexOf(a.status) - plateLevels.indexOf(b.status))
}

/** The weakest statement that the good readings of all members support. */
export const leastShown = (services: readonly { shows: ProbeGrade | null }[]): ProbeGrade | null =>
  probeGrades.find((grade) => services.some(({ shows }) => shows === grade)) ?? null

/** All stacks as cards, each with its services. */
export const stacksMain = (answer: CatalogAnswer): Html => {
  const plates = stackPlates(answer)
  return html`${
    plates.length === 0
      ? emptyState({
          icon: 'overview',
          title: 'No stacks here',
          text: 'A stack is a group of services that are often used together.',
          action: { path: '/services', text: 'Show all services' },
        })
      : html`<ul class="stacks">
          ${plates.map(stackCard)}
        </ul>`
  }
  ${howRead(answer)}`
}

const stackCard = ({ stack, status, services }: StackPlate): Html => {
  const { slug, name, description } = stack
  const words = standing(status, leastShown(services))
  return html`<li class="card${words.tone === 'bad' ? ' is-bad' : ''}">
    <div class="card-head">
      <h2><a href="/stacks/${encodeURIComponent(slug)}">${named(name)}</a></h2>
      ${tag(words)}
    </div>
    ${description !== '' && html`<p class="muted">${description}</p>`}
    <ul class="members">
      ${services.map(memberOf)}
    </ul>
  </li>`
}

const memberOf = (service: Listed): Html => {
  const words = standing(service.level, service.shows)
  return html`<li class="${words.tone}" title="${askedTitle(service)}">
    ${logo(service)}<span>${named(service.name)}<span class="unseen">: ${words.text}</span></span>
    <span class="region-marks" aria-hidden="true"><i class="${words.tone}"></i></span>
  </li>`
}
