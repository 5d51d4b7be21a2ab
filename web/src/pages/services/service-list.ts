import { plateLevels, type CatalogAnswer, type PlateLevel } from '@probe-mesh/contracts/outage/answers'
import { serviceWords } from '../../html/answer-words.ts'
import { categoryName } from './category-names.ts'

export type Listed = CatalogAnswer['services'][number]

/** A filter of the catalog; empty values select all. */
export type ListChoice = { q: string; category: string; level: PlateLevel | '' }

const questionCharactersMax = 100

/** The filter in an address; an invalid level means all. */
export const listChoice = (query: URLSearchParams): ListChoice => ({
  q: (query.get('q') ?? '').trim().slice(0, questionCharactersMax),
  category: query.get('category') ?? '',
  level: plateLevels.find((level) => level === query.get('level')) ?? '',
})

/** The filter as a query, without empty values. */
export const queryOfChoice = (choice: ListChoice): Record<string, string> =>
  Object.fromEntries(Object.entries(choice).filter(([, value]) => value !== ''))

/** Services whose name, slug, domain or category contains every word of the search. */
export const chosen = (services: readonly Listed[], choice: ListChoice): Listed[] => {
  const words = choice.q.toLowerCase().split(/\s+/).filter(Boolean)
  return services.filter((service) => {
    if (choice.level !== '' && service.level !== choice.level) return false
    if (choice.category !== '' && service.category !== choice.category) return false
    const text = textOf(service)
    return words.every((word) => text.includes(word))
  })
}

const textOf = ({ name, slug, domains, category }: Listed): string =>
  [name, slug, category, categoryName(category), ...domains].join('\n').toLowerCase()

/** Services that are not up, worst first, then the others; each by category and name. */
export const worstFirst = (services: readonly Listed[]): Listed[] =>
  services
    .map((service) => ({
      service,
      rank: plateLevels.indexOf(service.level),
      name: `${categoryName(service.category)}\n${service.name.toLowerCase()}`,
    }))
    .toSorted((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ service }) => service)

export type Group = { key: string; heading: string; isUp: boolean; services: Listed[] }

/** Consecutive services of one level; those that are up by category. */
export const groupsOf = (services: readonly Listed[]): Group[] => {
  const groups: Group[] = []
  for (const service of services) {
    const isUp = service.level === 'up'
    const key = isUp ? `category-${service.category}` : `level-${service.level}`
    const last = groups.at(-1)
    if (last?.key === key) last.services.push(service)
    else {
      const { text } = serviceWords[service.level]
      const heading = isUp ? categoryName(service.category) : text
      groups.push({ key, heading: capital(heading), isUp, services: [service] })
    }
  }
  return groups
}

/** The number of services at each occurring level, worst first. */
export const countsOf = (services: readonly Listed[]): { level: PlateLevel; count: number }[] =>
  plateLevels
    .map((level) => ({ level, count: services.filter((one) => one.level === level).length }))
    .filter(({ count }) => count > 0)

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
