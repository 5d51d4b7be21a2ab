import type { CatalogAnswer } from '@probe-mesh/contracts/outage/answers'
import { levelWords } from '../../html/answer-words.ts'
import { chips } from '../../html/components/page-head.ts'
import { emptyState } from '../../html/components/card.ts'
import { emptyForm, selectField } from '../../html/components/form.ts'
import { tag } from '../../html/components/tag.ts'
import { howRead } from '../../html/how-read.ts'
import { serviceSearch } from '../../html/service-search.ts'
import { servicePath, serviceTiles } from '../../html/service-tile.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { named } from '../../html/measures.ts'
import { pageLinks, type Part } from '../paging.ts'
import { categoryName } from './category-names.ts'
import {
  countsOf,
  groupsOf,
  queryOfChoice,
  type Group,
  type ListChoice,
  type Listed,
} from './service-list.ts'

/** One part of the catalog: services that are not up first, and the number in each status. */
export const servicesMain = (
  answer: CatalogAnswer,
  { choice, part }: { choice: ListChoice; part: Part<Listed> },
): Html => {
  const isAll = Object.keys(queryOfChoice(choice)).length === 0
  // the page searches itself only if it contains the whole list
  const isWhole = choice.q === '' && part.last === 1
  return html`<div class="toolbar">
      ${serviceSearch({ q: choice.q, in: isWhole ? 'page' : null })} ${categoryForm(answer.services, choice)}
    </div>
    ${levelChips(answer.services, choice)}
    ${!isAll && html`<p class="muted">${found(part.total)} <a href="/services">Show all</a></p>`}
    ${part.total === 0 && nothingFound(choice)} ${groupsOf(part.rows).map(groupSection)}
    ${pageLinks(part, '/services', queryOfChoice(choice))} ${howRead(answer)}`
}

const found = (total: number): string =>
  total === 0 ? 'No service fits.' : total === 1 ? '1 service fits.' : `${total} services fit.`

const pathOf = (choice: ListChoice): string => {
  const query = new URLSearchParams(queryOfChoice(choice)).toString()
  return query === '' ? '/services' : `/services?${query}`
}

const levelChips = (services: readonly Listed[], choice: ListChoice): Html => {
  const counts = countsOf(services)
  return chips('Services by status', [
    {
      path: pathOf({ ...choice, level: '' }),
      text: 'All',
      count: services.length,
      isCurrent: choice.level === '',
    },
    ...counts.map(({ level, count }) => ({
      path: pathOf({ ...choice, level }),
      text: tag(levelWords(level)),
      count,
      isCurrent: choice.level === level,
    })),
  ])
}

const categoryForm = (services: readonly Listed[], { q, category, level }: ListChoice): Html => {
  const categories = [...new Set(services.map((service) => service.category))]
    .map((value) => ({ value, label: categoryName(value) }))
    .toSorted((a, b) => (a.label < b.label ? -1 : 1))
  return html`<form class="by-category" method="get" action="/services" data-filter data-keep>
    ${q !== '' && html`<input type="hidden" name="q" value="${q}" />`}
    ${level !== '' && html`<input type="hidden" name="level" value="${level}" />`}
    ${selectField(emptyForm, {
      name: 'category',
      label: 'Category',
      fallback: category,
      choices: [{ value: '', label: 'All categories' }, ...categories],
    })}
    <button type="submit">Show</button>
  </form>`
}

const nothingFound = ({ q }: ListChoice): Html =>
  html`${emptyState({
    icon: 'search',
    title: 'No service fits',
    text: 'A service outside this list is not measured: it is neither up nor down here.',
    action: { path: '/services', text: 'Show all services' },
  })}
  ${q !== '' && html`<p><a href="${servicePath(q)}">Look for ${named(q)} by alias and domain</a></p>`}`

const groupSection = ({ key, heading, services }: Group): Html =>
  html`<section class="tile-group" aria-labelledby="${key}" data-group>
    <h2 id="${key}">${heading} <span class="count">${services.length}</span></h2>
    ${serviceTiles(services)}
  </section> `
