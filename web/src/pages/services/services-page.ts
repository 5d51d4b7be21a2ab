import { plateLevels } from '@probe-mesh/contracts/outage/answers'
import type { CatalogAnswer } from '@probe-mesh/contracts/outage/answers'
import { levelWords, standing } from '../../html/answer-words.ts'
import { askedCell } from '../../html/asked-words.ts'
import { emptyForm, selectField, textField } from '../../html/components/form.ts'
import { howRead } from '../../html/how-read.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { named, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import { pageLinks } from '../paging.ts'
import type { Part } from '../paging.ts'
import { categoryName } from './category-names.ts'
import { countsOf, groupsOf, queryOfChoice } from './service-list.ts'
import type { Group, ListChoice, Listed } from './service-list.ts'

/** One part of the catalog: what is not up first, and how many there are of each status. */
export const servicesMain = (
  answer: CatalogAnswer,
  { choice, part }: { choice: ListChoice; part: Part<Listed> },
): Html => {
  const isAll = Object.keys(queryOfChoice(choice)).length === 0
  return html`<p class="lead">${answer.summary}</p>
    <ul class="counts" aria-label="Services by status">
      ${countsOf(answer.services).map(
        ({ level, count }) =>
          html`<li>
            <a href="/services?level=${level}">${count} ${tag(levelWords(level))}</a>
          </li> `,
      )}
    </ul>
    ${searchForm(answer.services, choice)}
    ${!isAll && html`<p role="status">${found(part.total)} <a href="/services">Show all</a></p>`}
    ${isAll && part.number === 1 && stackList(answer.stacks)} ${part.total === 0 && nothingFound(choice)}
    ${groupsOf(part.rows).map(groupSection)} ${pageLinks(part, '/services', queryOfChoice(choice))}
    ${howRead(answer)}`
}

const found = (total: number): string =>
  total === 0
    ? 'No service is like that.'
    : total === 1
      ? 'One service is like that.'
      : `${total} services are like that.`

const searchForm = (services: readonly Listed[], { q, category, level }: ListChoice): Html => {
  const categories = [...new Set(services.map((service) => service.category))]
    .map((value) => ({ value, label: categoryName(value) }))
    .toSorted((a, b) => (a.label < b.label ? -1 : 1))
  return html`<form method="get" action="/services" role="search" aria-label="Services">
    <div class="actions">
      ${textField(emptyForm, { name: 'q', label: 'Name or domain', type: 'search', fallback: q })}
      ${selectField(emptyForm, {
        name: 'category',
        label: 'Category',
        fallback: category,
        choices: [{ value: '', label: 'all' }, ...categories],
      })}
      ${selectField(emptyForm, {
        name: 'level',
        label: 'Status',
        fallback: level,
        choices: [
          { value: '', label: 'all' },
          ...plateLevels.map((value) => ({ value, label: levelWords(value).text })),
        ],
      })}
      <button type="submit">Search</button>
    </div>
  </form>`
}

const nothingFound = ({ q }: ListChoice): Html =>
  html`<p>
    Of what is not in this list nothing is said, neither up nor down.
    ${
      q !== '' &&
      html`<a href="/services/${encodeURIComponent(q)}">Look for ${named(q)} by its aliases and domains</a>.`
    }
  </p>`

const stackList = (stacks: CatalogAnswer['stacks']): Html | null =>
  stacks.length === 0
    ? null
    : html`<section aria-labelledby="stacks">
        <h2 id="stacks">Stacks</h2>
        <p class="muted">Services that are often used together.</p>
        <ul class="counts">
          ${stacks.map(
            ({ slug, name }) =>
              html`<li><a href="/stacks/${encodeURIComponent(slug)}">${named(name)}</a></li> `,
          )}
        </ul>
      </section>`

const groupSection = ({ key, heading, isUp, services }: Group): Html =>
  html`<section class="listed" aria-labelledby="${key}">
    <h2 id="${key}">${heading}</h2>
    ${table(
      isUp ? `${heading}: ${levelWords('up').text}` : heading,
      [
        { heading: 'Service', cell: linkOf },
        { heading: 'Status', cell: ({ level, shows }) => tag(standing(level, shows)) },
        ...(isUp ? [] : [{ heading: 'Category', cell: ({ category }: Listed) => categoryName(category) }]),
        { heading: 'Measured', cell: ({ measuredAt }) => time(measuredAt) },
        { heading: 'Asked', cell: askedCell },
      ],
      services,
    )}
  </section> `

/** A service of the catalog by its name, with the way to its page. */
export const linkOf = ({ slug, name }: { slug: string; name: string }): Html =>
  html`<a href="/services/${encodeURIComponent(slug)}">${named(name)}</a>`
