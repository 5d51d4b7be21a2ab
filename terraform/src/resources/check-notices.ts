import type { Api } from '../api/create-api.ts'
import { warningAt } from '../protocol/diagnostic.ts'
import type { Diagnostic } from '../protocol/diagnostic.ts'
import type { CallContext, PlannedChange } from '../protocol/resource.ts'
import { valueOf } from './settle.ts'

/**
 * Names checks that are what a plan is about to create and that Terraform has not shown to hold, such
 * as one whose creation it did not live to write down. No answer is no reason not to plan.
 */
export const noticeTwins = async (
  api: Api,
  { prior, planned }: PlannedChange,
  context: CallContext,
): Promise<Diagnostic[]> => {
  const priorId = prior === null ? null : valueOf(prior, 'id')
  // what is replaced is planned a second time, as if there were none
  if (typeof priorId === 'string') api.held.add(priorId)
  const [name, url] = [valueOf(planned, 'name'), valueOf(planned, 'url')]
  if (prior !== null || typeof name !== 'string' || typeof url !== 'string') return []
  const listed = await api.checks(context)
  if (!listed.ok) return []
  const twins = listed.value.filter(
    (each) => each.name === name && each.url === url && !api.held.has(each.id),
  )
  if (twins.length === 0) return []
  const ids = twins.map(({ id }) => id).join(', ')
  return [
    warningAt(
      [],
      'There is a check of this name and URL already',
      `The account has ${JSON.stringify(name)} for ${url} (${ids}), and nothing of this configuration was seen to be it. ` +
        'Creating it makes another. If it was left behind by a run that broke off, import it by its id or delete it.',
    ),
  ]
}
