import { inFigures } from '@probe-mesh/contracts/schema/in-figures'
import type { ErrorDrops, ErrorProject } from '../contracts/error-tracking.ts'

/** `1 issue`, `2 issues` */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${inFigures(count)} ${count === 1 ? one : many}`

type Counted = { eventsThisMonth: ErrorProject['eventsThisMonth']; dropped: ErrorDrops }

/** All events of a month that were not stored. */
export const droppedOf = ({ dropped }: Pick<Counted, 'dropped'>): number =>
  Object.values(dropped).reduce((sum, count) => sum + count, 0)

/** Stored and dropped together (S-3002): every received event is in one of them. */
export const receivedOf = (project: Counted): number => project.eventsThisMonth + droppedOf(project)
