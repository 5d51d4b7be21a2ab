import { plateLevels } from '@probe-mesh/contracts/answers'
import type { CatalogAnswer, PlateLevel } from '@probe-mesh/contracts/answers'

type Services = CatalogAnswer['services']

/** How many services stand how, worst first; a status that none has is left out. */
export const tallyOf = (services: Services): { level: PlateLevel; count: number }[] =>
  plateLevels
    .map((level) => ({ level, count: services.filter((one) => one.level === level).length }))
    .filter(({ count }) => count > 0)

/** What is down now, everywhere first; of each as the catalog orders them. */
export const downOf = (services: Services): Services => [
  ...services.filter(({ level }) => level === 'down'),
  ...services.filter(({ level }) => level === 'down_in_some_regions'),
]
