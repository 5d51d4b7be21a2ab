import type { ServiceCategory } from '@probe-mesh/contracts/outage/catalog'

const names: Readonly<Record<ServiceCategory, string>> = {
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

/** The name of a category; a category unknown here is shown by its id. */
export const categoryName = (category: string): string =>
  Object.hasOwn(names, category) ? names[category as ServiceCategory] : category
