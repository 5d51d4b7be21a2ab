import type { CatalogAnswer } from '@probe-mesh/contracts/answers'
import type { ServiceCategory } from '@probe-mesh/contracts/catalog'
import { framePage } from './frame.ts'
import { howRead } from './how-read.ts'
import { markup, nothing } from './markup.ts'
import type { Markup } from './markup.ts'
import { named, time } from './measures.ts'
import { table } from './table.ts'
import { statusWords, tag } from './tag.ts'

type Listed = CatalogAnswer['services'][number]

/** The whole catalog by category, each with how it stands, and the stacks. */
export const servicesPage = (answer: CatalogAnswer): string => {
  const categories = [...Map.groupBy(answer.services, ({ category }) => category)].toSorted(
    ([a], [b]) => (a < b ? -1 : 1),
  )
  return framePage({
    title: 'Services',
    description: answer.summary,
    url: answer.url,
    json: '/v1/public/services',
    main: markup`<h1>Services that we measure</h1>
<p class="lead">${answer.summary}</p>
${stackList(answer.stacks)}
${categories.map(([category, services]) => categorySection(category, services))}
${howRead(answer)}`,
  })
}

const stackList = (stacks: CatalogAnswer['stacks']): Markup =>
  stacks.length === 0
    ? nothing
    : markup`<section aria-labelledby="stacks">
<h2 id="stacks">Stacks</h2>
<ul>
${stacks.map(
  ({ slug, name }) =>
    markup`<li><a href="/stacks/${encodeURIComponent(slug)}">${named(name)}</a></li>`,
)}
</ul>
</section>`

const categorySection = (category: string, services: readonly Listed[]): Markup => {
  const heading = isCategory(category) ? headings[category] : category
  return markup`<section aria-labelledby="category-${category}">
<h2 id="category-${category}">${heading}</h2>
${table(
  heading,
  [
    { heading: 'Service', cell: linkOf },
    { heading: 'Status', cell: ({ level }) => tag(statusWords[level]) },
    { heading: 'Measured', cell: ({ measuredAt }) => time(measuredAt) },
  ],
  services,
  'even',
)}
</section>`
}

const linkOf = ({ slug, name }: Listed): Markup =>
  markup`<a href="/services/${encodeURIComponent(slug)}">${named(name)}</a>`

const headings: Readonly<Record<ServiceCategory, string>> = {
  ai: 'AI',
  auth: 'Authentication',
  banking: 'Banking',
  cdn: 'CDN',
  ci: 'Continuous integration',
  cloud: 'Cloud',
  code_hosting: 'Code hosting',
  commerce: 'Commerce',
  content: 'Content',
  crypto: 'Crypto',
  data: 'Data',
  design: 'Design',
  dns: 'DNS',
  education: 'Education',
  games: 'Games',
  hosting: 'Hosting',
  mail: 'Mail',
  messaging: 'Messaging',
  monitoring: 'Monitoring',
  payments: 'Payments',
  registry: 'Package registries',
  search: 'Search',
  security: 'Security',
  social: 'Social networks',
  storage: 'Storage',
  streaming: 'Streaming',
  transport: 'Transport',
  work: 'Work',
}

const isCategory = (category: string): category is ServiceCategory =>
  Object.hasOwn(headings, category)
