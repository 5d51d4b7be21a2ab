import type { RouteCall } from '@probe-mesh/contracts/api/routes'
import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { toObject, unknown } from '../protocol/value.ts'
import type { ObjectValue } from '../protocol/value.ts'
import type { PlannedChange, PlanRule } from '../protocol/resource.ts'
import { pageFields } from './page-schema.ts'
import { bodyValue, isSame, valueOf } from './settle.ts'

type Body = RouteCall<'createStatusPage'>['body']

/** A page of the API as a state holds it. */
export const toPageState = (page: StatusPage): ObjectValue =>
  toObject([
    ['id', page.id],
    ['path', page.path],
    ['url', page.url],
    ...Object.entries(pageFields).map(([name, field]) => [name, page[field]] as const),
  ])

/** The schema holds each value to its field's type; whatever else is wrong with it the API refuses. */
export const pageBody = (planned: ObjectValue): Body =>
  Object.fromEntries(
    Object.entries(pageFields).map(([name, field]) => [field, bodyValue(valueOf(planned, name))]),
  ) as Body

/** What changes: what is left out stays as it is. */
export const pageChanges = (prior: ObjectValue, planned: ObjectValue): Partial<Body> => {
  const kept = new Set<string>(
    Object.entries(pageFields)
      .filter(([name]) => isSame(valueOf(prior, name), valueOf(planned, name)))
      .map(([, field]) => field),
  )
  return Object.fromEntries(
    Object.entries(pageBody(planned)).filter(([field]) => !kept.has(field)),
  ) as Partial<Body>
}

/** Where a page is follows from its slug: it stays known while that stays. */
export const planPage = ({ prior, planned }: PlannedChange): PlanRule => {
  if (prior === null || valueOf(prior, 'slug') !== valueOf(planned, 'slug')) return { planned }
  const keep = (name: string) =>
    [
      name,
      valueOf(planned, name) === unknown ? valueOf(prior, name) : valueOf(planned, name),
    ] as const
  return { planned: toObject([...Object.entries(planned), keep('path'), keep('url')]) }
}
